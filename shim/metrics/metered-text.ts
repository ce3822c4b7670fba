import type { HeardEvent, Run, RunEvent, RunStatistics, SpokenEvent, TextService } from '#core/local-models';

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
    async hear(request, signal) {
      const run = await service.hear(request, signal);
      return { ...run, events: heardEvents(run.events, (tokens) => counts.hear(request.model, tokens)) };
    },
    async speak(request, signal) {
      const run = await service.speak(request, signal);
      return { ...run, events: spokenEvents(run.events, (tokens) => counts.speak(request.model, tokens)) };
    },
    loaded: () => service.loaded(),
    waiting: () => service.waiting(),
    resume: (signal) => service.resume(signal),
    close: () => service.close(),
  };
}

async function* heardEvents(
  events: AsyncIterable<HeardEvent>,
  heard: (tokens: number) => void,
): AsyncGenerator<HeardEvent> {
  for await (const event of events) {
    if (event.type === 'segment') heard(event.segment.tokens.length);
    yield event;
  }
}

async function* spokenEvents(
  events: AsyncIterable<SpokenEvent>,
  spoken: (tokens: number) => void,
): AsyncGenerator<SpokenEvent> {
  for await (const event of events) {
    if (event.type === 'speech') spoken(event.tokens);
    yield event;
  }
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
