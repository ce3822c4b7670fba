/**
 * Extracts an adapter from models whose weights are differences of two others. It holds the strongest directions of each
 * matrix, or the full differences. The low-rank form: Hu et al., "LoRA: low-rank adaptation of large language models",
 * 2021.
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
  /** `standard`: matrices as two factors. `full_diff`: all weights as they are. */
  kind: 'standard' | 'full_diff';
  /** Includes biases and other parameters with one element per output. */
  withBiases: boolean;
}

/** A graph, and the names of its modules in the adapter file. */
export interface ExtractionSource {
  graph: ModelGraph;
  /** For error messages, such as `diffusion model`. */
  what: string;
  nameOf(module: string): string;
}

interface PlannedPart extends PlannedTensor {
  graph: ModelGraph;
  parameter: NetworkParameter;
  /** [outputs, inputs, …] */
  sides: readonly number[];
  rank: number;
  part: 'up' | 'down' | 'difference';
}

/**
 * Writes an adapter file. Resolves to the number of its tensors. Rejects when weights have no names or are not floats.
 *
 * @param options.texts the file's metadata.
 * @param onProgress receives the share that is done, 0 to 1.
 */
export async function writeExtractedLora(
  files: Files,
  path: FilePath,
  sources: readonly ExtractionSource[],
  options: ExtractionOptions,
  { texts, signal }: { texts: Readonly<Record<string, string>>; signal: AbortSignal },
  onProgress: (share: number) => Promise<void>,
): Promise<number> {
  const planned: PlannedPart[] = [];
  for (const source of sources) planned.push(...(await planParts(source, options)));
  let done = 0;
  // The two factors of a matrix are written one after the other, so the last decomposition is cached.
  let last: { of: NetworkParameter; factors: LowRank | undefined } | undefined;
  const compute = async ({ graph, parameter, sides, rank, part }: PlannedPart) => {
    signal.throwIfAborted();
    await onProgress(done++ / planned.length);
    if (part === 'difference') return difference(graph, parameter, sides, signal);
    if (last?.of !== parameter) {
      const numbers = await difference(graph, parameter, sides, signal);
      const outputs = sides[0]!;
      const factors =
        numbers && (await runYielding(lowRank(numbers, outputs, numbers.length / outputs, rank), signal));
      last = { of: parameter, factors };
    }
    return last.factors?.[part];
  };
  return writeSafetensorsFile(files, path, planned, compute, texts);
}

async function planParts(
  { graph, what, nameOf }: ExtractionSource,
  { rank, kind, withBiases }: ExtractionOptions,
): Promise<PlannedPart[]> {
  const planned: PlannedPart[] = [];
  for (const [name, parameter] of await readParameters(graph, what)) {
    const [, module, of] = /^(.*)\.(weight|bias)$/.exec(name) ?? [];
    if (!module) continue;
    const sides = sidesOf(parameter);
    const base = { graph, parameter, sides };
    const isMatrix = of === 'weight' && sides.length > 1;
    if (isMatrix && kind === 'standard') {
      const [outputs = 1, inputs = 1, ...kernel] = sides;
      const partRank = Math.min(rank, outputs, inputs * elementCount(kernel));
      const ones = kernel.map(() => 1);
      planned.push(
        {
          ...base,
          name: `${nameOf(module)}.lora_up.weight`,
          shape: [outputs, partRank, ...ones],
          rank: partRank,
          part: 'up',
        },
        {
          ...base,
          name: `${nameOf(module)}.lora_down.weight`,
          shape: [partRank, inputs, ...kernel],
          rank: partRank,
          part: 'down',
        },
      );
    } else if (of === 'weight' ? kind === 'full_diff' || withBiases : withBiases)
      planned.push({
        ...base,
        name: `${nameOf(module)}.${of === 'weight' ? 'diff' : 'diff_b'}`,
        shape: sides,
        rank: 0,
        part: 'difference',
      });
  }
  return planned;
}

async function readParameters(graph: ModelGraph, what: string): Promise<Map<string, NetworkParameter>> {
  try {
    return networkParameters(await graph.source.outline());
  } catch (error) {
    throw new Error(`no adapter can be extracted from this ${what}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** [outputs, inputs, …]. Norms, which some exporters store with additional sides of length 1, are [outputs]. */
function sidesOf({ initializer: { shape }, isTransposed }: NetworkParameter): number[] {
  if (isTransposed) return shape.toReversed();
  const isKernel = shape.length === 2 || shape.length === 4;
  if (isKernel) return [...shape];
  const sides = shape.filter((side) => side !== 1);
  return sides.length <= 1 ? [sides[0] ?? 1] : sides;
}

/** Undefined when all elements are 0. */
async function difference(
  graph: ModelGraph,
  { constant, isTransposed }: NetworkParameter,
  sides: readonly number[],
  signal: AbortSignal,
): Promise<Float32Array | undefined> {
  const numbers = await graph.numbers(constant, signal);
  if (numbers.every((number) => number === 0)) return undefined;
  if (!isTransposed) return numbers;
  return runYielding(transpose(numbers, numbers.length / sides[0]!, sides[0]!), signal);
}
