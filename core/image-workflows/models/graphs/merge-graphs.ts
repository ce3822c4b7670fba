/** Graphs whose weights are made of those of two. */

import type { ModelGraph, WeightChange } from '../../values/model-graph.ts';
import { runYielding, type Steps } from '../../yielding/steps.ts';
import { type NetworkParameter, networkParameters } from './network-parameters.ts';

/** How much of each goes into a weight. */
export interface MergeWeights {
  first: number;
  second: number;
  /** Of what the first was in its file, before anything else changed it. */
  original?: number;
}

/** By the parameter's name in diffusers. */
export type MergeWeightsOf = (parameter: string) => MergeWeights;

/**
 * Numbers are read and made one weight after another when the graph is opened. Weights that the second does not have stay as
 * they are. `what`: for errors, `diffusion models`. Throws where there is nothing in common, for other sizes, and for weights
 * that are not told by name or are no floats.
 */
export async function mergeGraphs(
  first: ModelGraph,
  second: ModelGraph,
  what: string,
  sharesFor: (parameters: Iterable<string>) => MergeWeightsOf | Promise<MergeWeightsOf>,
): Promise<ModelGraph> {
  const own = await parameters(first, `the first of the ${what}`);
  const others = await parameters(second, `the second of the ${what}`);
  const sharesOf = await sharesFor(own.keys());
  const common = [...own].filter(([name]) => others.has(name));
  if (common.length === 0)
    throw new Error(`these ${what} have no weights in common: merge models of one kind`);
  const weights: WeightChange[] = [];
  for (const [name, parameter] of common) {
    const shares = sharesOf(name);
    const other = others.get(name)!;
    checkFit(what, name, parameter, other);
    if (shares.first === 1 && shares.second === 0 && !shares.original) continue;
    weights.push(weighed(first, second, parameter, other, shares));
  }
  second.cancelPreparing();
  return weights.length === 0 ? first : first.withChange({ key: 'merged', weights });
}

async function parameters(graph: ModelGraph, which: string): Promise<Map<string, NetworkParameter>> {
  try {
    const found = networkParameters(await graph.source.outline());
    if (found.size > 0) return found;
    throw new Error(
      'none of its weights is called as in the network that it was exported from: use a graph as "optimum-cli export onnx" makes it',
    );
  } catch (error) {
    throw new Error(`${which} cannot be merged: ${(error as Error).message}`, { cause: error });
  }
}

/** Without sides of one, [outputs, inputs, …]. */
function sides({ initializer, isTransposed }: NetworkParameter): number[] {
  const found = initializer.shape.filter((side) => side !== 1);
  return isTransposed ? found.reverse() : found;
}

function checkFit(what: string, name: string, first: NetworkParameter, second: NetworkParameter): void {
  if (sides(first).join() === sides(second).join()) return;
  const [one, other] = [first, second].map(({ initializer }) => `[${initializer.shape.join(', ')}]`);
  throw new Error(
    `these ${what} cannot be merged: ${name} is ${one} in the first and ${other} in the second. Merge models of one kind, such as two of Stable Diffusion 1 that both take as many channels`,
  );
}

function weighed(
  first: ModelGraph,
  second: ModelGraph,
  { constant: value, initializer, isTransposed }: NetworkParameter,
  other: NetworkParameter,
  shares: MergeWeights,
): WeightChange {
  return {
    name: value,
    async change(numbers, signal) {
      const given = await second.numbers(other.constant, signal);
      const original = shares.original ? (await first.source.numbers(initializer.name)).numbers : undefined;
      const rows = isTransposed === other.isTransposed ? 1 : (initializer.shape[0] ?? 1);
      await runYielding(addShares(numbers, given, rows, original, shares), signal);
    },
  };
}

/** Numbers a step. */
const STRIDE = 65_536;

/** In place. `rows`: of `numbers`, where `given` is the other way round. */
function* addShares(
  numbers: Float32Array,
  given: Float32Array,
  rows: number,
  original: Float32Array | undefined,
  shares: MergeWeights,
): Steps<void> {
  for (let start = 0; start < numbers.length; start += STRIDE) {
    const end = Math.min(start + STRIDE, numbers.length);
    addStretch(numbers, given, rows, original, shares, start, end);
    yield;
  }
}

/** Numbers [start, end). A function of its own: V8 does not compile loops of generators well. */
function addStretch(
  numbers: Float32Array,
  given: Float32Array,
  rows: number,
  original: Float32Array | undefined,
  { first, second, original: third = 0 }: MergeWeights,
  start: number,
  end: number,
): void {
  if (rows === 1 && !original) {
    for (let i = start; i < end; i++) numbers[i] = first * numbers[i]! + second * given[i]!;
    return;
  }
  const columns = numbers.length / rows;
  for (let i = start; i < end; i++) {
    const place = rows === 1 ? i : (i % columns) * rows + Math.floor(i / columns);
    numbers[i] = first * numbers[i]! + second * given[place]! + (original ? third * original[i]! : 0);
  }
}
