import type { Run, RunEvent, RunStatistics, TextService } from '#core/local-models';

export interface TextCounts {
  run(model: string, statistics: RunStatistics): void;
  embed(model: string, promptTokens: number): void;
}

/** Wraps a text service and reports the statistics of finished runs. `model` is spelled as in the request. */
export function meteredText(service: TextService, counts: TextCounts): TextService {
  const count = (model: string, run: Run): Run =>
    run.kind === 'events'
      ? { ...run, events: countedEvents(run.events, (found) => counts.run(model, found)) }
      : run;
  return {
    async chat(request, signal) {
      return count(request.model, await service.chat(request, signal));
    },
    async generate(request, signal) {
      return count(request.model, await service.generate(request, signal));
    },
    async embed(request, signal, onBegin) {
      const result = await service.embed(request, signal, onBegin);
      counts.embed(request.model, result.promptTokens);
      return result;
    },
    loaded: () => service.loaded(),
    waiting: () => service.waiting(),
    resume: (signal) => service.resume(signal),
    close: () => service.close(),
  };
}

async function* countedEvents(
  events: AsyncIterable<RunEvent>,
  done: (statistics: RunStatistics) => void,
): AsyncIterable<RunEvent> {
  for await (const event of events) {
    if (event.type === 'done') done(event.statistics);
    yield event;
  }
}
