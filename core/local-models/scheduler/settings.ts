/** The settings of the scheduler, read afresh for every use: a tab may change them while it runs. */
import type { Host, LoadOptions } from '#core/host';
import { countSetting, durationSetting, flagSetting, textSetting } from '#core/settings';

const DEFAULT_KEEP_ALIVE = 5 * 60_000;
const DEFAULT_LOAD_TIMEOUT = 5 * 60_000;
const DEFAULT_MAX_QUEUE = 512;
const DEFAULT_MAX_LOADED = 3;
const GIB = 2 ** 30;

/** Milliseconds; Infinity = forever. A bare number means seconds; what cannot be read means the default. */
export function defaultKeepAlive(host: Host): number {
  const milliseconds = durationSetting(host, 'OLLAMA_KEEP_ALIVE') ?? DEFAULT_KEEP_ALIVE;
  return milliseconds < 0 ? Number.POSITIVE_INFINITY : milliseconds;
}

/** Milliseconds without progress after which a load is given up; Infinity = never. */
export function loadTimeout(host: Host): number {
  const milliseconds = durationSetting(host, 'OLLAMA_LOAD_TIMEOUT');
  if (milliseconds === undefined) return DEFAULT_LOAD_TIMEOUT;
  return milliseconds <= 0 ? Number.POSITIVE_INFINITY : milliseconds;
}

export function maxQueue(host: Host): number {
  return countSetting(host, 'OLLAMA_MAX_QUEUE') ?? DEFAULT_MAX_QUEUE;
}

export function maxLoaded(host: Host): number {
  return countSetting(host, 'OLLAMA_MAX_LOADED_MODELS') ?? DEFAULT_MAX_LOADED;
}

/**
 * Answers that a model may give at once; 0 = the engine chooses by the memory there is. Only a tab that is not told
 * keeps to one: it serves one person, and its memory is small.
 */
export function parallel(host: Host): number {
  return countSetting(host, 'OLLAMA_NUM_PARALLEL') ?? host.capabilities.defaultParallel;
}

/** undefined where it is not set: the engine chooses. */
export function flashAttention(host: Host): boolean | undefined {
  return textSetting(host, 'OLLAMA_FLASH_ATTENTION') === ''
    ? undefined
    : flagSetting(host, 'OLLAMA_FLASH_ATTENTION');
}

export function cacheType(host: Host): LoadOptions['cacheType'] {
  const text = textSetting(host, 'OLLAMA_KV_CACHE_TYPE').toLowerCase();
  return text === 'q8_0' || text === 'q4_0' ? text : undefined;
}

/** Finding out about GPUs may start a process: once for each host. */
const gpus = new WeakMap<Host, Promise<number>>();

/** Bytes of all GPUs together, 0 where there is none or nothing is known, as in a tab. */
export function gpuMemory(host: Host): Promise<number> {
  const known =
    gpus.get(host) ??
    host.machine.gpus().then(
      (found) => found.reduce((sum, gpu) => sum + (gpu.memoryTotal ?? 0), 0),
      () => 0,
    );
  gpus.set(host, known);
  return known;
}

/** Tokens, when a request does not say. In a tab the memory of the GPU is not known: always the smallest. */
export async function defaultContextLength(host: Host): Promise<number> {
  const set = countSetting(host, 'OLLAMA_CONTEXT_LENGTH');
  if (set !== undefined) return set;
  const memory = await gpuMemory(host);
  return memory >= 47 * GIB ? 262_144 : memory >= 23 * GIB ? 32_768 : 4096;
}
