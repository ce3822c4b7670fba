import os from 'node:os';
import type { LoadOptions } from '#core/host';
import type { Llama, LlamaContextOptions, LlamaModel } from '../llama-library.ts';

/** More at once gain little on what people have at home. */
const MOST = 4;
/** The caches of further conversations may take so much of the memory that is free. */
const SHARE = 1 / 8;

export interface CacheChoice {
  context: Pick<
    LlamaContextOptions,
    'flashAttention' | 'experimentalKvCacheKeyType' | 'experimentalKvCacheValueType'
  >;
  /** Whether a short test tells if numbers depend on what else is in a batch. */
  testable: boolean;
}

/**
 * On a CPU values are kept as BF16 beside keys as F16. With one type for both, llama.cpp's flash attention takes other
 * ways for one token than for many once 512 tokens are behind it, which add up in another order: what is said would
 * depend on what runs beside it and on what is in the cache. A GPU chooses its kernels by more than a test can try.
 */
export function cacheChoice({ flashAttention, cacheType }: LoadOptions, onGpu: boolean): CacheChoice {
  const quantized = cacheType === 'q8_0' ? 'Q8_0' : cacheType === 'q4_0' ? 'Q4_0' : undefined;
  const types = (key: 'F16' | 'Q8_0' | 'Q4_0', value: 'F16' | 'BF16' | 'Q8_0' | 'Q4_0') => ({
    experimentalKvCacheKeyType: key,
    experimentalKvCacheValueType: value,
  });
  // Quantized values can be read by flash attention only.
  if (quantized) {
    return { context: { flashAttention: true, ...types(quantized, quantized) }, testable: !onGpu };
  }
  if (onGpu) return { context: { flashAttention: flashAttention ?? 'auto' }, testable: false };
  if (flashAttention === false)
    return { context: { flashAttention, ...types('F16', 'F16') }, testable: true };
  return { context: { flashAttention: true, ...types('F16', 'BF16') }, testable: true };
}

/** How many conversations the context holds: as asked, else as many as fit well into the memory that is free. */
export async function chooseParallel(
  llama: Llama,
  model: LlamaModel,
  options: LoadOptions,
  onGpu: boolean,
): Promise<number> {
  const asked = options.parallel ?? 1;
  if (asked > 0) return asked;
  const needs = (sequences: number) =>
    model.fileInsights.estimateContextResourceRequirementsV2({
      contextSize: options.contextLength,
      sequences,
      modelGpuLayers: model.gpuLayers,
      batchSize: Math.min(options.batchSize, options.contextLength),
      flashAttention: true,
    });
  const [one, two] = await Promise.all([needs(1), needs(2)]);
  const cpu = fits(two.cpuRam - one.cpuRam, Math.min(os.freemem(), process.constrainedMemory() || Infinity));
  const gpu = onGpu ? fits(two.gpuVram - one.gpuVram, (await llama.getVramState()).free) : MOST;
  return Math.min(cpu, gpu, MOST);
}

function fits(bytesEach: number, free: number): number {
  return 1 + Math.floor((free * SHARE) / Math.max(1, bytesEach));
}
