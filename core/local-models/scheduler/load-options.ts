import type { Host } from '../../host/host.ts';
import type { LoadOptions } from '../../host/language-engine.ts';
import type { ModelMetadata } from '../registry/types.ts';
import type { ModelOptions } from '../types.ts';
import { cacheType, defaultContextLength, flashAttention, parallel } from './settings.ts';

/** Engines allot the context in pieces of this many tokens. */
const CONTEXT_STEP = 256;
const SMALLEST_CONTEXT = 4;

/** What of a request's options decides how the model is loaded. */
export async function loadOptions(
  host: Host,
  metadata: ModelMetadata,
  options: ModelOptions,
): Promise<LoadOptions> {
  const asked = Math.max(options.num_ctx || (await defaultContextLength(host)), SMALLEST_CONTEXT);
  const trained = metadata.contextLength > 0 ? metadata.contextLength : Number.POSITIVE_INFINITY;
  const contextLength = Math.min(Math.ceil(asked / CONTEXT_STEP) * CONTEXT_STEP, trained);
  const embedding = metadata.poolingType !== undefined;
  const batch = options.num_batch && options.num_batch > 0 ? options.num_batch : embedding ? 2048 : 512;
  const flash = flashAttention(host);
  const cache = cacheType(host);
  return {
    contextLength,
    batchSize: Math.min(batch, contextLength),
    gpuLayers: options.num_gpu ?? -1,
    threads: Math.max(options.num_thread ?? 0, 0),
    ...(options.use_mmap !== undefined && { useMmap: options.use_mmap }),
    // Texts to embed are batched by the engine itself.
    ...(embedding ? { embedding } : { parallel: parallel(host) }),
    ...(flash !== undefined && { flashAttention: flash }),
    ...(cache && { cacheType: cache }),
  };
}

export function sameOptions(a: LoadOptions, b: LoadOptions): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof LoadOptions>;
  return [...keys].every((key) => a[key] === b[key]);
}
