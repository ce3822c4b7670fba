/** Language models as the routes ask them: what is loaded is known at once, the rest is loaded with the first request. */
import type { Host } from '#core/host';
import type { ModelRegistry } from '../registry/model-registry.ts';
import type { TextService } from '../runs/text-service.ts';
import { Pins } from '../scheduler/pins.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import type { AnswerService } from './answer-service.ts';

export function createTextService(host: Host, registry: ModelRegistry): TextService {
  const pins = new Pins(host);
  const scheduler = new Scheduler(host, (model) => registry.display(model.name), pins);
  let made: AnswerService | undefined;
  const service = async () => {
    const { AnswerService } = await import('./answer-service.ts');
    made ??= new AnswerService(host, registry, scheduler);
    return made;
  };
  return {
    chat: async (request, signal) => (await service()).chat(request, signal),
    generate: async (request, signal) => (await service()).generate(request, signal),
    embed: async (request, signal, begun) => (await service()).embed(request, signal, begun),
    loaded: () => scheduler.loaded(),
    waiting: () => scheduler.waiting,
    resume: (signal) => resumePinned(host, registry, scheduler, pins, signal),
    close: () => scheduler.close(),
  };
}

/** One after the other; one that cannot be loaded does not keep the others from it. */
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
      host.log.warn('a model that was to stay loaded could not be loaded again', {
        model: registry.display(model.name),
        cause: (error as Error).message,
      });
    }
  }
}
