/** Graphs with an adapter's weights added to theirs. */

import type { OnnxOutline } from '#core/tensors';
import type { Adapter, AdapterPart, AnyAdapter } from '../../values/adapter.ts';
import type { ModelGraph, WeightChange } from '../../values/model-graph.ts';
import { elementCount } from '../../values/tensor.ts';
import { runYielding } from '../../yielding/steps.ts';
import { mergeGraphs } from '../graphs/merge-graphs.ts';
import { type ModuleWeights, moduleKey, moduleWeights } from '../graphs/module-weights.ts';
import { networkParameters } from '../graphs/network-parameters.ts';
import { isFloatType } from '../graphs/stored-floats.ts';
import { alphaRank, type DeltaShape, deltaRow, deltaShape } from './adapter-delta.ts';
import { addDelta, addDoraDelta } from './add-delta.ts';

/** `name`: of the part in a second model, and in some files of matrices; `target`: in the others. Throws where they do not fit. */
export async function applyAnyAdapter(
  graph: ModelGraph,
  adapter: AnyAdapter,
  { name, target }: { name: string; target: AdapterPart['target'] },
  strength: number,
): Promise<ModelGraph> {
  if (!('graphs' in adapter)) return applyAdapter(graph, adapter, target, strength, name);
  const other = adapter.graphs.get(name);
  if (!other || strength === 0) return graph;
  const what = target === 'network' ? 'diffusion models' : 'text encoders';
  const shares = { first: 1, second: strength, original: -strength };
  return mergeGraphs(graph, other, what, () => () => shares);
}

/** Throws where a module that the adapter changes cannot be found in the graph, or has another size. */
export async function applyAdapter(
  graph: ModelGraph,
  adapter: Adapter,
  target: AdapterPart['target'],
  strength: number,
  name?: string,
): Promise<ModelGraph> {
  const parts = adapter.parts.filter((part) => part.target === target || part.target === name);
  if (parts.length === 0 || strength === 0) return graph;
  const outline = await graph.source.outline();
  const modules = moduleWeights(outline);
  // Where they are asked for only: all weights of the graph have to be told by name.
  const others = parts.some((part) => !isOfModule(part, modules)) ? otherParameters(outline) : undefined;
  const what = target === 'network' ? 'the diffusion model' : 'the text encoder';
  const weights = parts.map((part): WeightChange => {
    const module = isOfModule(part, modules)
      ? modules.get(part.module)
      : others?.get(`${part.module} ${part.of}`);
    if (!module)
      throw new Error(
        `${adapter.name} changes ${part.module}, which ${what} does not have or its graph does not name: it is for another model, or the graph was optimized after its export`,
      );
    const shape = checkFit(adapter.name, part, module);
    return {
      name: module.name,
      change: async (numbers, signal) => {
        const { tensors, numbers: read } = part;
        const row = await deltaRow(tensors, read);
        const rank = alphaRank(tensors);
        const alpha = tensors.alpha && rank ? (await read(tensors.alpha))[0]! / rank : 1;
        const delta = { ...shape, row, isTransposed: module.isTransposed };
        const { dora } = tensors;
        const steps = dora
          ? addDoraDelta(numbers, delta, alpha, strength, {
              numbers: await read(dora),
              areOfOutputs: dora.shape[0] === shape.outputs,
            })
          : addDelta(numbers, delta, alpha * strength);
        await runYielding(steps, signal);
      },
    };
  });
  return graph.withChange({ key: `${adapter.name} ${strength}`, weights });
}

const isOfModule = ({ of, module }: AdapterPart, modules: ReadonlyMap<string, ModuleWeights>): boolean =>
  of === 'weight' && modules.has(module);

/** Biases and norms, by module and which of the two. */
function otherParameters(outline: OnnxOutline): Map<string, ModuleWeights> {
  const found = new Map<string, ModuleWeights>();
  for (const [name, { constant: value, initializer, isTransposed }] of networkParameters(outline)) {
    const [, module, of] = /^(.*)\.(weight|bias)$/.exec(name) ?? [];
    if (module) found.set(`${moduleKey(module)} ${of}`, { name: value, initializer, isTransposed });
  }
  return found;
}

function checkFit(
  name: string,
  { module, tensors }: AdapterPart,
  { initializer }: ModuleWeights,
): DeltaShape {
  const shape = deltaShape(tensors);
  if (!shape || shape.outputs * shape.columns !== elementCount(initializer.shape))
    throw new Error(
      `${name} is for another model: what it adds to ${module} does not fit weights of [${initializer.shape.join(', ')}]`,
    );
  if (!isFloatType(initializer.type) || !initializer.location)
    throw new Error(
      `the weights of ${module} are kept as ${initializer.type}, to which nothing can be added: use a model in F32 or F16`,
    );
  return shape;
}
