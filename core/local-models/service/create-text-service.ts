import { errorMessage, Lazy } from '#core/base';
import type { Host } from '#core/host';
import type { ModelRegistry } from '../registry/model-registry.ts';
import type { TextService } from '../runs/text-service.ts';
import { Pins } from '../scheduler/pins.ts';
import { Scheduler } from '../scheduler/scheduler.ts';

/**
 * Creates the service that runs language models. The code of prompts and grammars is loaded with the first request;
 * until then the service is small enough for every start of the server.
 */
export function createTextService(host: Host, registry: ModelRegistry): TextService {
  const pins = new Pins(host);
  const scheduler = new Scheduler(host, (model) => registry.display(model.name), pins);
  const answers = new Lazy(async () => {
    const { AnswerService } = await import('./answer-service.ts');
    return new AnswerService(host, registry, scheduler);
  });
  return {
    chat: async (request, signal) => (await answers.get()).chat(request, signal),
    generate: async (request, signal) => (await answers.get()).generate(request, signal),
    embed: async (request, signal, begun) => (await answers.get()).embed(request, signal, begun),
    hear: async (request, signal) => {
      const { hearSpeech } = await import('../hearing/lazy.ts');
      return hearSpeech({ host, registry, scheduler }, request, signal);
    },
    speak: async (request, signal) => {
      const { speakText } = await import('../speaking/lazy.ts');
      return speakText({ host, registry, scheduler }, request, signal);
    },
    loaded: () => scheduler.loaded(),
    waiting: () => scheduler.waiting,
    resume: (signal) => resumePinned(host, registry, scheduler, pins, signal),
    close: () => scheduler.close(),
  };
}

/** Loads the pinned models one after the other. A model that fails to load does not keep the others from loading. */
async function resumePinned(
  host: Host,
  registry: ModelRegistry,
  scheduler: Scheduler,
  pins: Pins,
  signal: AbortSignal,
): Promise<void> {
  for (const { model, options } of await pins.list(registry)) {
    if (signal.aborted) return;
    try {
      const lease = await scheduler.acquire(model, options, Number.POSITIVE_INFINITY, signal);
      lease.release();
    } catch (error) {
      host.log.warn('a pinned model could not be loaded again', {
        model: registry.display(model.name),
        cause: errorMessage(error),
      });
    }
  }
}
