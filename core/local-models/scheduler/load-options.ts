import type { Host, LoadOptions } from '#core/host';
import type { ModelMetadata } from '../base/installed-model.ts';
import type { ModelOptions } from '../base/model-options.ts';
import { bitExact, cacheType, defaultContextLength, flashAttention, parallel } from './settings.ts';

/** Engines allocate the context in steps of this many tokens. */
const CONTEXT_STEP = 256;
const SMALLEST_CONTEXT = 4;
/** Room for one token of each parallel answer, and for the prompt with which engines test a model. */
const SMALLEST_BATCH = 32;
/** More layers than any model has: all of them go to the GPU. */
const ALL_LAYERS = 99_999;

/** Derives the options of loading from those of a request. A model is loaded again when they change. */
export async function loadOptions(
  host: Host,
  metadata: ModelMetadata,
  options: ModelOptions,
): Promise<LoadOptions> {
  const requested = Math.max(options.num_ctx || (await defaultContextLength(host)), SMALLEST_CONTEXT);
  const trained = metadata.contextLength > 0 ? metadata.contextLength : Number.POSITIVE_INFINITY;
  const contextLength = Math.min(Math.ceil(requested / CONTEXT_STEP) * CONTEXT_STEP, trained);
  const embedding = metadata.poolingType !== undefined;
  const batch = options.num_batch && options.num_batch > 0 ? options.num_batch : embedding ? 2048 : 512;
  const usesFlashAttention = flashAttention(host);
  const cache = cacheType(host);
  return {
    contextLength,
    batchSize: Math.min(Math.max(batch, SMALLEST_BATCH), contextLength),
    gpuLayers: clamp(options.num_gpu ?? -1, -1, ALL_LAYERS),
    // More threads than processors wait for each other, and thousands crash the engine.
    threads: clamp(options.num_thread ?? 0, 0, host.machine.cores),
    ...(options.use_mmap !== undefined && { useMmap: options.use_mmap }),
    // The engine batches texts to embed itself.
    ...(embedding ? { embedding } : { parallel: parallel(host) }),
    ...(usesFlashAttention !== undefined && { flashAttention: usesFlashAttention }),
    ...(cache && { cacheType: cache }),
    ...(bitExact(host) && { bitExact: true }),
  };
}

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);

/** An absent option equals an undefined one. */
export function sameOptions(a: LoadOptions, b: LoadOptions): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof LoadOptions>;
  return [...keys].every((key) => a[key] === b[key]);
}
