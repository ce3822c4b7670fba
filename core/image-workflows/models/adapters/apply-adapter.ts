/** Adds the weights of adapters to those of graphs. */
import type { OnnxOutline, SafetensorsEntry } from '#core/tensors';
import type { Adapter, AdapterPart, AnyAdapter } from '../../values/adapter.ts';
import type { ModelGraph, WeightChange } from '../../values/model-graph.ts';
import { elementCount } from '../../values/tensor.ts';
import { runYielding } from '../../yielding/steps.ts';
import { mergeGraphs } from '../graphs/merge-graphs.ts';
import { type ModuleWeights, moduleKey, moduleWeights } from '../graphs/module-weights.ts';
import { networkParameters } from '../graphs/network-parameters.ts';
import { diffusersModuleKeys } from '../graphs/original-transformer-names.ts';
import { isFloatType } from '../graphs/stored-floats.ts';
import { alphaRank, type DeltaRow, type DeltaShape, deltaRow, deltaShape } from './adapter-delta.ts';
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
  const own = adapter.parts.filter((part) => part.target === target || part.target === name);
  if (own.length === 0 || strength === 0) return graph;
  const outline = await graph.source.outline();
  const modules = moduleWeights(outline);
  const parts = own.flatMap((part) => inModulesOf(part, modules));
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
  const first = firstRow(part);
  return {
    name: module.name,
    async change(numbers, signal) {
      const { tensors, numbers: read } = part;
      const rowOfAll = await deltaRow(tensors, read);
      const row: DeltaRow = (output, into) => rowOfAll(first + output, into);
      const rank = alphaRank(tensors);
      const alpha = tensors.alpha && rank ? (await read(tensors.alpha))[0]! / rank : 1;
      const delta = { ...shape, row, isTransposed: module.isTransposed };
      const { dora } = tensors;
      const steps = dora
        ? addDoraDelta(numbers, delta, alpha, strength, magnitudes(await read(dora), dora, part, shape))
        : addDelta(numbers, delta, alpha * strength);
      await runYielding(steps, signal);
    },
  };
}

/** Adapters for original transformers change modules that the graph has under other names, or in several parts. */
function inModulesOf(part: AdapterPart, modules: ReadonlyMap<string, ModuleWeights>): AdapterPart[] {
  if (modules.has(part.module)) return [part];
  const layouts = diffusersModuleKeys(part.module).map((parts) =>
    parts.map(({ module, ...rows }): AdapterPart => ({ ...part, module, rows })),
  );
  const present = layouts.filter((parts) => parts.every(({ module }) => modules.has(module)));
  // Variants of a network have the same modules in other sizes.
  const fitting = present.find((parts) => parts.every((each) => fits(each, modules.get(each.module)!)));
  return fitting ?? present[0] ?? layouts[0] ?? [part];
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

/** The magnitudes of DoRA for a part's outputs, or for its inputs. */
function magnitudes(
  numbers: Float32Array,
  { shape }: SafetensorsEntry,
  part: AdapterPart,
  { outputs }: DeltaShape,
) {
  const perOutput = shape[0] === deltaShape(part.tensors)?.outputs;
  const first = firstRow(part);
  return { perOutput, numbers: perOutput ? numbers.subarray(first, first + outputs) : numbers };
}

/** The first of the adapter's outputs that changes the part's module. */
function firstRow({ tensors, rows }: AdapterPart): number {
  const { outputs = 0 } = deltaShape(tensors) ?? {};
  return rows ? (outputs * rows.start) / rows.total : 0;
}

/** The shape of the change to the part's module. Undefined as for `deltaShape`. */
function shapeOf({ tensors, rows }: AdapterPart): DeltaShape | undefined {
  const all = deltaShape(tensors);
  if (!all || !rows) return all;
  return { ...all, outputs: (all.outputs * (rows.end - rows.start)) / rows.total };
}

function fits(part: AdapterPart, { initializer }: ModuleWeights): boolean {
  const shape = shapeOf(part);
  return shape !== undefined && shape.outputs * shape.columns === elementCount(initializer.shape);
}

function checkFit(name: string, part: AdapterPart, weights: ModuleWeights): DeltaShape {
  const { module } = part;
  const { initializer } = weights;
  const shape = shapeOf(part);
  if (!shape || !fits(part, weights))
    throw new Error(
      `${name} is for another model: its change to ${module} does not fit weights of [${initializer.shape.join(', ')}]`,
    );
  if (!isFloatType(initializer.type) || !initializer.location)
    throw new Error(
      `the weights of ${module} are stored as ${initializer.type}, to which nothing can be added: use a model in F32 or F16`,
    );
  return shape;
}
