import {
  type Host,
  type LanguageEngine,
  type LanguageModel,
  type LoadOptions,
  ModelUnsupported,
  OutOfMemory,
} from '#core/host';
import { ApiError } from '#core/http';
import type { InstalledModel } from '../base/installed-model.ts';
import { loadTimeout } from './settings.ts';
import type { LoadedWeights } from './slot.ts';

/**
 * Loads a model with the first of the host's engines that supports its format and architecture. After an engine ran out
 * of memory it is tried again, as long as `room` frees memory.
 * @param name the model's name in errors and logs
 * @param room frees memory before each attempt (0, 1, …) and returns whether it unloaded anything
 * @throws ApiError, the last engine's error, or the reason of `signal`
 */
export async function loadModel(
  host: Host,
  installed: InstalledModel,
  options: LoadOptions,
  name: string,
  room: (attempt: number) => Promise<boolean>,
  signal: AbortSignal,
): Promise<LoadedWeights> {
  const engines = host.languageEngines.filter(
    (engine) => engine.formats.includes(installed.format) && (engine.accepts?.(installed.files) ?? true),
  );
  if (engines.length === 0) {
    throw new ApiError(
      500,
      `unable to load model "${name}": nothing here runs the format ${installed.format}; pull another variant`,
    );
  }
  let failure: unknown;
  for (const engine of engines) {
    for (let attempt = 0; ; attempt++) {
      const freed = await room(attempt);
      signal.throwIfAborted();
      if (attempt > 0 && !freed) break;
      const start = host.clock.nanoseconds();
      try {
        const model = await loadWithTimeout(host, engine, installed, options, signal);
        host.log.info('model loaded', {
          model: name,
          engine: engine.name,
          device: model.device.name,
          parallel: model.parallel ?? 1,
          ...(model.device.note && { note: model.device.note }),
          milliseconds: Math.round((host.clock.nanoseconds() - start) / 1e6),
        });
        return {
          installed,
          model,
          options,
          engine: engine.name,
          holders: 0,
          expiresAt: Number.POSITIVE_INFINITY,
        };
      } catch (error) {
        failure = error;
        if (signal.aborted || !(error instanceof OutOfMemory)) break;
      }
    }
    if (signal.aborted || !(failure instanceof ModelUnsupported)) break;
  }
  throw failure;
}

/** Cancels a load that makes no progress for as long as OLLAMA_LOAD_TIMEOUT says. */
async function loadWithTimeout(
  host: Host,
  engine: LanguageEngine,
  installed: InstalledModel,
  options: LoadOptions,
  signal: AbortSignal,
): Promise<LanguageModel> {
  const stalled = new AbortController();
  const timeout = loadTimeout(host);
  let cancel = () => {};
  const watch = (fraction: number) => {
    cancel();
    if (!Number.isFinite(timeout)) return;
    cancel = host.clock.after(timeout, () => {
      stalled.abort(
        new ApiError(500, `timed out waiting for ${engine.name} to start - progress ${fraction.toFixed(2)}`),
      );
    });
  };
  watch(0);
  try {
    return await engine.load(installed.files, options, AbortSignal.any([signal, stalled.signal]), watch);
  } finally {
    cancel();
  }
}
