import type { Run, RunStatistics, TextService } from '#core/local-models';
import { observeEvents } from '../base/observe-events.ts';

export interface TextCounts {
  run(model: string, statistics: RunStatistics): void;
  embed(model: string, promptTokens: number): void;
  hear(model: string, answerTokens: number): void;
  speak(model: string, promptTokens: number): void;
}

/** Wraps a text service and reports the statistics of finished runs. `model` is spelled as in the request. */
export function meteredText(service: TextService, counts: TextCounts): TextService {
  const count = (model: string, run: Run): Run =>
    run.kind === 'events'
      ? {
          ...run,
          events: observeEvents(run.events, (event) => {
            if (event.type === 'done') counts.run(model, event.statistics);
          }),
        }
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
    async hear(request, signal) {
      const run = await service.hear(request, signal);
      const events = observeEvents(run.events, (event) => {
        if (event.type === 'segment') counts.hear(request.model, event.segment.tokens.length);
      });
      return { ...run, events };
    },
    async speak(request, signal) {
      const run = await service.speak(request, signal);
      const events = observeEvents(run.events, (event) => {
        if (event.type === 'speech') counts.speak(request.model, event.tokens);
      });
      return { ...run, events };
    },
    loaded: () => service.loaded(),
    waiting: () => service.waiting(),
    resume: (signal) => service.resume(signal),
    close: () => service.close(),
  };
}
