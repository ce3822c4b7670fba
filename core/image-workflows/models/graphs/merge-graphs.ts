/** Merges two models: graphs whose weights are linear combinations of those of two graphs. */
import type { ModelGraph, WeightChange } from '../../values/model-graph.ts';
import { runYielding, type Steps } from '../../yielding/steps.ts';
import { type NetworkParameter, networkParameters } from './network-parameters.ts';

/** The coefficients of the linear combination. */
export interface MergeWeights {
  first: number;
  second: number;
  /** Applies to the first weight as its file stores it, before any other change. */
  original?: number;
}

/** The coefficients for a parameter by its name in diffusers. */
export type MergeWeightsOf = (parameter: string) => MergeWeights;

/**
 * The first graph with its weights merged. The computation runs weight by weight when the graph opens. Weights that the
 * second graph lacks stay unchanged. Rejects when the graphs have no weights in common, or weights of different sizes.
 * Rejects as well for weights without names or in another form than floats.
 *
 * @param what for error messages, such as `diffusion models`.
 */
export async function mergeGraphs(
  first: ModelGraph,
  second: ModelGraph,
  what: string,
  weightsFor: (parameters: Iterable<string>) => MergeWeightsOf | Promise<MergeWeightsOf>,
): Promise<ModelGraph> {
  const firstParameters = await readParameters(first, `the first of the ${what}`);
  const secondParameters = await readParameters(second, `the second of the ${what}`);
  const weightsOf = await weightsFor(firstParameters.keys());
  const common = [...firstParameters].filter(([name]) => secondParameters.has(name));
  if (common.length === 0)
    throw new Error(`these ${what} have no weights in common: merge models of one kind`);
  const changes: WeightChange[] = [];
  for (const [name, parameter] of common) {
    const weights = weightsOf(name);
    const other = secondParameters.get(name)!;
    checkFit(what, name, parameter, other);
    if (weights.first === 1 && weights.second === 0 && !weights.original) continue;
    changes.push(mergeChange(first, second, parameter, other, weights));
  }
  second.cancelPreparing();
  return changes.length === 0 ? first : first.withChange({ key: 'merged', weights: changes });
}

async function readParameters(graph: ModelGraph, which: string): Promise<Map<string, NetworkParameter>> {
  try {
    const parameters = networkParameters(await graph.source.outline());
    if (parameters.size > 0) return parameters;
    throw new Error(
      'none of its weights has its name from the exported network: use a graph as "optimum-cli export onnx" makes it',
    );
  } catch (error) {
    throw new Error(`${which} cannot be merged: ${(error as Error).message}`, { cause: error });
  }
}

/** [outputs, inputs, …] without sides of length 1. */
function sides({ initializer, isTransposed }: NetworkParameter): number[] {
  const long = initializer.shape.filter((side) => side !== 1);
  return isTransposed ? long.reverse() : long;
}

function checkFit(what: string, name: string, first: NetworkParameter, second: NetworkParameter): void {
  if (sides(first).join() === sides(second).join()) return;
  const [a, b] = [first, second].map(({ initializer }) => `[${initializer.shape.join(', ')}]`);
  throw new Error(
    `these ${what} cannot be merged: ${name} is ${a} in the first and ${b} in the second. Merge models of one kind, such as two of Stable Diffusion 1 with equally many channels`,
  );
}

function mergeChange(
  first: ModelGraph,
  second: ModelGraph,
  { constant, initializer, isTransposed }: NetworkParameter,
  other: NetworkParameter,
  weights: MergeWeights,
): WeightChange {
  return {
    name: constant,
    async change(numbers, signal) {
      const added = await second.numbers(other.constant, signal);
      const original = weights.original ? (await first.source.numbers(initializer.name)).numbers : undefined;
      const rows = isTransposed === other.isTransposed ? 1 : (initializer.shape[0] ?? 1);
      await runYielding(combineNumbers(numbers, added, rows, original, weights), signal);
    },
  };
}

/** Elements between two yields. */
const STRIDE = 65_536;

/** Changes `numbers` in place. `rows`: the rows of `numbers` when `added` is its transpose, otherwise 1. */
function* combineNumbers(
  numbers: Float32Array,
  added: Float32Array,
  rows: number,
  original: Float32Array | undefined,
  weights: MergeWeights,
): Steps<void> {
  for (let start = 0; start < numbers.length; start += STRIDE) {
    const end = Math.min(start + STRIDE, numbers.length);
    combineRange(numbers, added, rows, original, weights, start, end);
    yield;
  }
}

/** The elements [start, end). This is a function of its own because V8 optimizes loops in generators poorly. */
function combineRange(
  numbers: Float32Array,
  added: Float32Array,
  rows: number,
  original: Float32Array | undefined,
  { first, second, original: third = 0 }: MergeWeights,
  start: number,
  end: number,
): void {
  if (rows === 1 && !original) {
    for (let i = start; i < end; i++) numbers[i] = first * numbers[i]! + second * added[i]!;
    return;
  }
  const columns = numbers.length / rows;
  for (let i = start; i < end; i++) {
    const at = rows === 1 ? i : (i % columns) * rows + Math.floor(i / columns);
    numbers[i] = first * numbers[i]! + second * added[at]! + (original ? third * original[i]! : 0);
  }
}
