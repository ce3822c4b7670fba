/** The scheduler's settings. They are read at every use, because the page can change them while the server runs. */
import type { Host, LoadOptions } from '#core/host';
import { countSetting, durationSetting, flagSetting, textSetting } from '#core/settings';

const DEFAULT_KEEP_ALIVE = 5 * 60_000;
const DEFAULT_LOAD_TIMEOUT = 5 * 60_000;
const DEFAULT_MAX_QUEUE = 512;
const DEFAULT_MAX_LOADED = 3;
const GIB = 2 ** 30;

/** Milliseconds. Infinity: forever. A number without a unit means seconds; an unreadable value means the default. */
export function defaultKeepAlive(host: Host): number {
  const milliseconds = durationSetting(host, 'OLLAMA_KEEP_ALIVE') ?? DEFAULT_KEEP_ALIVE;
  return milliseconds < 0 ? Number.POSITIVE_INFINITY : milliseconds;
}

/** Milliseconds without progress after which a load is cancelled. Infinity: never. */
export function loadTimeout(host: Host): number {
  const milliseconds = durationSetting(host, 'OLLAMA_LOAD_TIMEOUT');
  if (milliseconds === undefined) return DEFAULT_LOAD_TIMEOUT;
  return milliseconds <= 0 ? Number.POSITIVE_INFINITY : milliseconds;
}

/** Requests that may wait at the same time, for all models together. */
export function maxQueue(host: Host): number {
  return countSetting(host, 'OLLAMA_MAX_QUEUE') ?? DEFAULT_MAX_QUEUE;
}

/** Models that may be loaded at the same time. */
export function maxLoaded(host: Host): number {
  return countSetting(host, 'OLLAMA_MAX_LOADED_MODELS') ?? DEFAULT_MAX_LOADED;
}

/**
 * Answers that a model may generate at the same time. 0: the engine chooses by the available memory. A tab's default is
 * one, because it serves one person and has little memory.
 */
export function parallel(host: Host): number {
  return countSetting(host, 'OLLAMA_NUM_PARALLEL') ?? host.capabilities.defaultParallel;
}

/** Undefined when it is not set: the engine chooses. */
export function flashAttention(host: Host): boolean | undefined {
  return textSetting(host, 'OLLAMA_FLASH_ATTENTION') === ''
    ? undefined
    : flagSetting(host, 'OLLAMA_FLASH_ATTENTION');
}

/** The number type of the attention cache. Undefined: the engine's default. */
export function cacheType(host: Host): LoadOptions['cacheType'] {
  const text = textSetting(host, 'OLLAMA_KV_CACHE_TYPE').toLowerCase();
  return text === 'q8_0' || text === 'q4_0' ? text : undefined;
}

/** Whether answers must not depend on other answers and caches, to the last bit. */
export const bitExact = (host: Host): boolean => flagSetting(host, 'TABD_BIT_EXACT');

/** Detecting GPUs may start a process, so each host does it once. */
const gpus = new WeakMap<Host, Promise<number>>();

/** Bytes of all GPUs together. 0 when there is none or its size is unknown, as in a tab. */
export function gpuMemory(host: Host): Promise<number> {
  const detected =
    gpus.get(host) ??
    host.machine.gpus().then(
      (found) => found.reduce((sum, gpu) => sum + (gpu.memoryTotal ?? 0), 0),
      () => 0,
    );
  gpus.set(host, detected);
  return detected;
}

/** The context length in tokens for requests without one: Ollama's steps by GPU memory. A tab has the smallest. */
export async function defaultContextLength(host: Host): Promise<number> {
  const configuredLength = countSetting(host, 'OLLAMA_CONTEXT_LENGTH');
  if (configuredLength !== undefined) return configuredLength;
  const memory = await gpuMemory(host);
  return memory >= 47 * GIB ? 262_144 : memory >= 23 * GIB ? 32_768 : 4096;
}
