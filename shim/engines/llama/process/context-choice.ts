import os from 'node:os';
import type { LoadOptions } from '#core/host';
import type { Llama, LlamaContextOptions, LlamaModel } from '../llama-library.ts';

/** More parallel conversations gain little on ordinary computers. */
const MAX_PARALLEL = 4;
/** The caches of further conversations may take this share of the free memory. */
const MEMORY_SHARE = 1 / 8;

export interface CacheChoice {
  context: Pick<
    LlamaContextOptions,
    'flashAttention' | 'experimentalKvCacheKeyType' | 'experimentalKvCacheValueType'
  >;
  /**
   * Whether tokens share batches and caches although that may change the last bits of results.
   * `if exact`: a short test decides whether it changes them.
   */
  sharing: 'always' | 'if exact' | 'never';
}

/**
 * Types of the KV cache. llama.cpp's flash attention on a CPU is fastest with one type for keys and values. It then uses
 * different kernels for one token and for many, from 512 tokens on. Those kernels add in different orders, so results
 * depend on other generations and on the cache. For bit-exact results keys are F16 and values BF16, which have a single
 * kernel. A GPU selects kernels by more criteria than a test can cover.
 */
export function cacheChoice(
  { flashAttention, cacheType, bitExact = false }: LoadOptions,
  onGpu: boolean,
): CacheChoice {
  const sharing = !bitExact ? 'always' : onGpu ? 'never' : 'if exact';
  const quantized = cacheType === 'q8_0' ? 'Q8_0' : cacheType === 'q4_0' ? 'Q4_0' : undefined;
  const types = (key: 'F16' | 'Q8_0' | 'Q4_0', value: 'F16' | 'BF16' | 'Q8_0' | 'Q4_0') => ({
    experimentalKvCacheKeyType: key,
    experimentalKvCacheValueType: value,
  });
  // Only flash attention can read quantized values.
  if (quantized) return { context: { flashAttention: true, ...types(quantized, quantized) }, sharing };
  if (onGpu) return { context: { flashAttention: flashAttention ?? 'auto' }, sharing };
  if (flashAttention === false) return { context: { flashAttention, ...types('F16', 'F16') }, sharing };
  return { context: { flashAttention: true, ...types('F16', bitExact ? 'BF16' : 'F16') }, sharing };
}

/**
 * The number of parallel conversations: as requested, or else as many as fit into a share of the free memory.
 */
export async function chooseParallel(
  llama: Llama,
  model: LlamaModel,
  options: LoadOptions,
  onGpu: boolean,
): Promise<number> {
  const requested = options.parallel ?? 1;
  if (requested > 0) return requested;
  const needs = (sequences: number) =>
    model.fileInsights.estimateContextResourceRequirementsV2({
      contextSize: options.contextLength,
      sequences,
      modelGpuLayers: model.gpuLayers,
      batchSize: Math.min(options.batchSize, options.contextLength),
      flashAttention: true,
    });
  const [single, double] = await Promise.all([needs(1), needs(2)]);
  const cpu = fits(
    double.cpuRam - single.cpuRam,
    Math.min(os.freemem(), process.constrainedMemory() || Infinity),
  );
  const gpu = onGpu ? fits(double.gpuVram - single.gpuVram, (await llama.getVramState()).free) : MAX_PARALLEL;
  return Math.min(cpu, gpu, MAX_PARALLEL);
}

function fits(bytesEach: number, free: number): number {
  return 1 + Math.floor((free * MEMORY_SHARE) / Math.max(1, bytesEach));
}
