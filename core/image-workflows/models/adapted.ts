/** Graphs with an adapter's weights added to theirs. */
import { paced, type Steps } from '../images/paced.ts';
import type { Adapter, AdapterPart, AnyAdapter } from './adapter.ts';
import type { Graph } from './graph.ts';
import type { WeightChange } from './graph-changes.ts';
import { type ModuleWeights, moduleWeights } from './graph-modules.ts';
import { mergedGraph } from './merged.ts';
import { isFloatType } from './stored-numbers.ts';

/** `name`: of the part in a second model, `target`: in a file of matrices. Throws where they do not fit. */
export async function adaptedPart(
  graph: Graph,
  adapter: AnyAdapter,
  { name, target }: { name: string; target: AdapterPart['target'] },
  strength: number,
): Promise<Graph> {
  if (!('graphs' in adapter)) return adaptedGraph(graph, adapter, target, strength);
  const other = adapter.graphs.get(name);
  if (!other || strength === 0) return graph;
  const what = target === 'network' ? 'diffusion models' : 'text encoders';
  const shares = { first: 1, second: strength, original: -strength };
  return mergedGraph(graph, other, what, () => () => shares);
}

/** Throws where a module that the adapter changes cannot be found in the graph, or has another size. */
export async function adaptedGraph(
  graph: Graph,
  adapter: Adapter,
  target: AdapterPart['target'],
  strength: number,
): Promise<Graph> {
  const parts = adapter.parts.filter((part) => part.target === target);
  if (parts.length === 0 || strength === 0) return graph;
  const modules = moduleWeights(await graph.source.outline());
  const what = target === 'network' ? 'the diffusion model' : 'the text encoder';
  const weights = parts.map((part): WeightChange => {
    const module = modules.get(part.module);
    if (!module)
      throw new Error(
        `${adapter.name} changes ${part.module}, which ${what} does not have or its graph does not name: it is for another model, or the graph was optimized after its export`,
      );
    checkFit(adapter.name, part, module);
    return {
      name: module.name,
      change: async (numbers, signal) => {
        const [up, down] = [await part.numbers(part.up), await part.numbers(part.down)];
        const rank = part.down.shape[0]!;
        const alpha = part.alpha ? (await part.numbers(part.alpha))[0]! : rank;
        const scale = (strength * alpha) / rank;
        await paced(addProduct(numbers, up, down, rank, scale, module.isTransposed), signal);
      },
    };
  });
  return graph.changed({ key: `${adapter.name} ${strength}`, weights });
}

function checkFit(name: string, { module, up, down }: AdapterPart, { initializer }: ModuleWeights): void {
  const size = (shape: readonly number[]) => shape.reduce((product, side) => product * side, 1);
  const rank = down.shape[0] ?? 0;
  if (
    rank === 0 ||
    size(up.shape) % rank !== 0 ||
    (size(up.shape) / rank) * (size(down.shape) / rank) !== size(initializer.shape)
  )
    throw new Error(
      `${name} is for another model: what it adds to ${module} does not fit weights of [${initializer.shape.join(', ')}]`,
    );
  if (!isFloatType(initializer.type) || !initializer.place)
    throw new Error(
      `the weights of ${module} are kept as ${initializer.type}, to which nothing can be added: use a model in F32 or F16`,
    );
}

/** weights += scale up x down, [outputs, columns]; turned round as [columns, outputs]. */
function* addProduct(
  weights: Float32Array,
  up: Float32Array,
  down: Float32Array,
  rank: number,
  scale: number,
  isTransposed: boolean,
): Steps<void> {
  const outputs = up.length / rank;
  const columns = down.length / rank;
  const row = new Float32Array(columns);
  for (let output = 0; output < outputs; output++) {
    row.fill(0);
    for (let r = 0; r < rank; r++) {
      const factor = scale * up[output * rank + r]!;
      const start = r * columns;
      for (let column = 0; column < columns; column++) row[column]! += factor * down[start + column]!;
    }
    if (isTransposed)
      for (let column = 0; column < columns; column++) weights[column * outputs + output]! += row[column]!;
    else for (let column = 0; column < columns; column++) weights[output * columns + column]! += row[column]!;
    yield;
  }
}
