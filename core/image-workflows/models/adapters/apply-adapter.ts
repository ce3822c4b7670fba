/** Adds the weights of adapters to those of graphs. */
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

/**
 * The graph of one part of a model with an adapter applied. Rejects when the adapter does not fit.
 *
 * @param part `name`: the part's name in a second model, and in some adapter files. `target`: its name in other files.
 */
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
  const weights = { first: 1, second: strength, original: -strength };
  return mergeGraphs(graph, other, what, () => () => weights);
}

/** Rejects when the graph lacks a module that the adapter changes, or when the module has another size. */
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
  // Computed only when needed: it requires that every weight of the graph has a name.
  const others = parts.some((part) => !isModuleWeight(part, modules)) ? otherParameters(outline) : undefined;
  const what = target === 'network' ? 'the diffusion model' : 'the text encoder';
  const weights = parts.map((part): WeightChange => {
    const module = isModuleWeight(part, modules)
      ? modules.get(part.module)
      : others?.get(`${part.module} ${part.of}`);
    if (!module)
      throw new Error(
        `${adapter.name} changes ${part.module}, which ${what} does not have or its graph does not name: it is for another model, or the graph was optimized after its export`,
      );
    return adapterChange(adapter.name, part, module, strength);
  });
  return graph.withChange({ key: `${adapter.name} ${strength}`, weights });
}

function adapterChange(
  name: string,
  part: AdapterPart,
  module: ModuleWeights,
  strength: number,
): WeightChange {
  const shape = checkFit(name, part, module);
  return {
    name: module.name,
    async change(numbers, signal) {
      const { tensors, numbers: read } = part;
      const row = await deltaRow(tensors, read);
      const rank = alphaRank(tensors);
      const alpha = tensors.alpha && rank ? (await read(tensors.alpha))[0]! / rank : 1;
      const delta = { ...shape, row, isTransposed: module.isTransposed };
      const { dora } = tensors;
      const steps = dora
        ? addDoraDelta(numbers, delta, alpha, strength, {
            numbers: await read(dora),
            perOutput: dora.shape[0] === shape.outputs,
          })
        : addDelta(numbers, delta, alpha * strength);
      await runYielding(steps, signal);
    },
  };
}

const isModuleWeight = ({ of, module }: AdapterPart, modules: ReadonlyMap<string, ModuleWeights>): boolean =>
  of === 'weight' && modules.has(module);

/** The biases and norms of a graph. Their keys are `MODULE weight` and `MODULE bias`. */
function otherParameters(outline: OnnxOutline): Map<string, ModuleWeights> {
  const found = new Map<string, ModuleWeights>();
  for (const [name, { constant, initializer, isTransposed }] of networkParameters(outline)) {
    const [, module, of] = /^(.*)\.(weight|bias)$/.exec(name) ?? [];
    if (module) found.set(`${moduleKey(module)} ${of}`, { name: constant, initializer, isTransposed });
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
      `${name} is for another model: its change to ${module} does not fit weights of [${initializer.shape.join(', ')}]`,
    );
  if (!isFloatType(initializer.type) || !initializer.location)
    throw new Error(
      `the weights of ${module} are stored as ${initializer.type}, to which nothing can be added: use a model in F32 or F16`,
    );
  return shape;
}
