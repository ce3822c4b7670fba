/**
 * An adapter of the weights of models that are differences of two others: their strongest directions (Hu et al., "LoRA: low-rank
 * adaptation of large language models", 2021), or all of them.
 */

import type { FilePath, Files } from '#core/host';
import type { ModelGraph } from '../../values/model-graph.ts';
import { elementCount } from '../../values/tensor.ts';
import { runYielding } from '../../yielding/steps.ts';
import { type NetworkParameter, networkParameters } from '../graphs/network-parameters.ts';
import { type PlannedTensor, writeSafetensorsFile } from '../saving/write-safetensors.ts';
import { type LowRank, lowRank, transpose } from './low-rank.ts';

export interface ExtractionOptions {
  rank: number;
  /** Matrices as two factors, or everything as it is. */
  kind: 'standard' | 'full_diff';
  /** Biases too, and what else has one number an output. */
  withBiases: boolean;
}

/** A graph, and what names of its modules begin with in the file, in the words of those who read such files. */
export interface ExtractionSource {
  graph: ModelGraph;
  /** For errors: `diffusion model`. */
  what: string;
  nameOf(module: string): string;
}

interface Planned extends PlannedTensor {
  graph: ModelGraph;
  parameter: NetworkParameter;
  /** [outputs, inputs, …] */
  sides: readonly number[];
  rank: number;
  part: 'up' | 'down' | 'whole';
}

/** `texts`: what the file carries. Gives how many tensors it holds. Throws where weights have no names, or are no floats. */
export async function writeExtractedLora(
  files: Files,
  path: FilePath,
  sources: readonly ExtractionSource[],
  options: ExtractionOptions,
  { texts, signal }: { texts: Readonly<Record<string, string>>; signal: AbortSignal },
  onProgress: (share: number) => Promise<void>,
): Promise<number> {
  const planned: Planned[] = [];
  for (const source of sources) planned.push(...(await plan(source, options)));
  let done = 0;
  /** The factors come one after the other. */
  let last: { of: NetworkParameter; factors: LowRank | undefined } | undefined;
  const make = async ({ graph, parameter, sides, rank, part }: Planned) => {
    signal.throwIfAborted();
    await onProgress(done++ / planned.length);
    if (part === 'whole') return difference(graph, parameter, sides, signal);
    if (last?.of !== parameter) {
      const numbers = await difference(graph, parameter, sides, signal);
      const outputs = sides[0]!;
      const factors =
        numbers && (await runYielding(lowRank(numbers, outputs, numbers.length / outputs, rank), signal));
      last = { of: parameter, factors };
    }
    return last.factors?.[part];
  };
  return writeSafetensorsFile(files, path, planned, make, texts);
}

async function plan(
  { graph, what, nameOf }: ExtractionSource,
  { rank, kind, withBiases }: ExtractionOptions,
): Promise<Planned[]> {
  const planned: Planned[] = [];
  for (const [name, parameter] of await parameters(graph, what)) {
    const [, module, of] = /^(.*)\.(weight|bias)$/.exec(name) ?? [];
    if (!module) continue;
    const sides = sidesOf(parameter);
    const own = { graph, parameter, sides };
    const isMatrix = of === 'weight' && sides.length > 1;
    if (isMatrix && kind === 'standard') {
      const [outputs = 1, inputs = 1, ...kernel] = sides;
      const least = Math.min(rank, outputs, inputs * elementCount(kernel));
      const ones = kernel.map(() => 1);
      planned.push(
        {
          ...own,
          name: `${nameOf(module)}.lora_up.weight`,
          shape: [outputs, least, ...ones],
          rank: least,
          part: 'up',
        },
        {
          ...own,
          name: `${nameOf(module)}.lora_down.weight`,
          shape: [least, inputs, ...kernel],
          rank: least,
          part: 'down',
        },
      );
    } else if (of === 'weight' ? kind === 'full_diff' || withBiases : withBiases)
      planned.push({
        ...own,
        name: `${nameOf(module)}.${of === 'weight' ? 'diff' : 'diff_b'}`,
        shape: sides,
        rank: 0,
        part: 'whole',
      });
  }
  return planned;
}

async function parameters(graph: ModelGraph, what: string): Promise<Map<string, NetworkParameter>> {
  try {
    return networkParameters(await graph.source.outline());
  } catch (error) {
    throw new Error(`nothing can be taken from this ${what}: ${(error as Error).message}`, { cause: error });
  }
}

/** [outputs, inputs, …]; norms that stand with sides of one beside their numbers are [outputs]. */
function sidesOf({ initializer: { shape }, isTransposed }: NetworkParameter): number[] {
  if (isTransposed) return shape.toReversed();
  const isKernel = shape.length === 2 || shape.length === 4;
  if (isKernel) return [...shape];
  const sides = shape.filter((side) => side !== 1);
  return sides.length <= 1 ? [sides[0] ?? 1] : sides;
}

/** undefined: there is none. */
async function difference(
  graph: ModelGraph,
  { constant: value, isTransposed }: NetworkParameter,
  sides: readonly number[],
  signal: AbortSignal,
): Promise<Float32Array | undefined> {
  const numbers = await graph.numbers(value, signal);
  if (numbers.every((number) => number === 0)) return undefined;
  if (!isTransposed) return numbers;
  return runYielding(transpose(numbers, numbers.length / sides[0]!, sides[0]!), signal);
}
