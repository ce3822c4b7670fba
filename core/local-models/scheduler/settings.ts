/** The settings of the scheduler, read afresh for every use: a tab may change them while it runs. */
import type { Host } from '../../host/host.ts';
import { countSetting, durationSetting } from '../../settings/read-setting.ts';

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

/** Finding out about GPUs may start a process: once for each host. */
const gpuMemory = new WeakMap<Host, Promise<number>>();

/** Tokens, when a request does not say. In a tab the memory of the GPU is not known: always the smallest. */
export async function defaultContextLength(host: Host): Promise<number> {
  const set = countSetting(host, 'OLLAMA_CONTEXT_LENGTH');
  if (set !== undefined) return set;
  const known =
    gpuMemory.get(host) ??
    host.machine.gpus().then(
      (gpus) => gpus.reduce((sum, gpu) => sum + (gpu.memoryTotal ?? 0), 0),
      () => 0,
    );
  gpuMemory.set(host, known);
  const memory = await known;
  return memory >= 47 * GIB ? 262_144 : memory >= 23 * GIB ? 32_768 : 4096;
}
