import type { Run, RunEvent, RunStatistics, TextService } from '#core/local-models';

export interface TextCounts {
  run(model: string, statistics: RunStatistics): void;
  embed(model: string, promptTokens: number): void;
}

/** `service`, with the statistics of what it finishes told. `model` is as clients spelled it, once it was found. */
export function meteredText(service: TextService, counts: TextCounts): TextService {
  const watch = (model: string, run: Run): Run =>
    run.kind === 'events'
      ? { ...run, events: watched(run.events, (found) => counts.run(model, found)) }
      : run;
  return {
    async chat(request, signal) {
      return watch(request.model, await service.chat(request, signal));
    },
    async generate(request, signal) {
      return watch(request.model, await service.generate(request, signal));
    },
    async embed(request, signal, begun) {
      const result = await service.embed(request, signal, begun);
      counts.embed(request.model, result.promptTokens);
      return result;
    },
    loaded: () => service.loaded(),
    waiting: () => service.waiting(),
    resume: (signal) => service.resume(signal),
    close: () => service.close(),
  };
}

async function* watched(
  events: AsyncIterable<RunEvent>,
  done: (statistics: RunStatistics) => void,
): AsyncIterable<RunEvent> {
  for await (const event of events) {
    if (event.type === 'done') done(event.statistics);
    yield event;
  }
}
