import type { LoadMessage } from './load-message.ts';

/** The largest batch on a CPU. A batch cannot be stopped, and a larger one is not faster there. */
const MAX_CPU_BATCH = 64;
/** llama.cpp uses the GPU for every layer when it gets more than the model has. */
const ALL_LAYERS = 99_999;

/** The parameters with which wllama loads a model. */
export function loadParameters(message: LoadMessage) {
  const onGpu = message.gpuLayers !== 0;
  // A text whose tokens are pooled must be evaluated in one batch.
  const needsFullBatch = onGpu || message.embedding;
  const batch = Math.max(1, needsFullBatch ? message.batchSize : Math.min(message.batchSize, MAX_CPU_BATCH));
  const adapters = message.adapters ?? [];
  return {
    n_ctx: message.contextLength * message.parallel,
    n_batch: batch,
    n_ubatch: batch,
    n_gpu_layers: message.gpuLayers < 0 ? ALL_LAYERS : message.gpuLayers,
    n_threads: message.threads,
    n_parallel: message.parallel,
    kv_unified: false,
    ...cacheParameters(message, onGpu),
    ctx_shift: true,
    warmup: false,
    ...(message.embedding && { embeddings: true }),
    // wllama stores adapters like further parts of the model. llama.cpp itself opens only the first part.
    ...(adapters.length > 0 && {
      lora_adapters: adapters.map((_, index) => ({ path: partPath(index + 2, adapters.length + 1) })),
    }),
  };
}

/** The path at which wllama stores a file. */
function partPath(number: number, count: number): string {
  const digits = (value: number) => String(value).padStart(5, '0');
  return `models/model-${digits(number)}-of-${digits(count)}.gguf`;
}

/**
 * On a CPU, flash attention is off. Once the cache has 512 tokens, it adds numbers for one token in another order than
 * for many. An answer would depend on concurrent requests and on the cache. Quantized caches require it and do not show
 * that effect.
 */
function cacheParameters({ cacheType }: LoadMessage, onGpu: boolean) {
  if (cacheType === 'q8_0' || cacheType === 'q4_0') {
    return { cache_type_k: cacheType, cache_type_v: cacheType, flash_attn: true };
  }
  return onGpu ? {} : { flash_attn: false };
}
