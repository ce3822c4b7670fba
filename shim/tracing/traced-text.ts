import type { EventRun, RunEvent, RunStatistics, TextService } from '#core/local-models';
import { observeEvents } from '../base/observe-events.ts';
import type { OpenSpan, OpenTelemetry } from './open-telemetry.ts';

const NANOSECONDS_PER_MILLISECOND = 1e6;

/** Wraps a text service: each run of a model is a span, with its time to load, to read the prompt and to write. */
export function tracedText(service: TextService, tracing: OpenTelemetry | undefined): TextService {
  if (!tracing) return service;
  const open = (operation: string, model: string) =>
    tracing.open(`${operation} ${model}`, {
      attributes: { 'gen_ai.operation.name': operation, 'gen_ai.request.model': model },
    });
  const answer = async (
    operation: 'chat' | 'generate_content',
    model: string,
    run: () => ReturnType<TextService['chat']>,
  ) => {
    const span = open(operation, model);
    const result = await within(span, run);
    if (result.kind !== 'events') {
      span.end();
      return result;
    }
    return watched(result, span, (event: RunEvent) => {
      if (event.type === 'done') addPhases(tracing, span, event.statistics);
    });
  };
  return {
    chat: (request, signal) => answer('chat', request.model, () => service.chat(request, signal)),
    generate: (request, signal) =>
      answer('generate_content', request.model, () => service.generate(request, signal)),
    async embed(request, signal, onBegin) {
      const span = open('embeddings', request.model);
      const result = await within(span, () => service.embed(request, signal, onBegin));
      span.set({ 'gen_ai.usage.input_tokens': result.promptTokens });
      span.end();
      return result;
    },
    async hear(request, signal) {
      const span = open('transcription', request.model);
      return watched(await within(span, () => service.hear(request, signal)), span, () => {});
    },
    async speak(request, signal) {
      const span = open('speech', request.model);
      return watched(await within(span, () => service.speak(request, signal)), span, () => {});
    },
    loaded: () => service.loaded(),
    waiting: () => service.waiting(),
    resume: (signal) => service.resume(signal),
    close: () => service.close(),
  };
}

/** Runs `work` as a part of the span, which ends if that fails. */
async function within<T>(span: OpenSpan, work: () => Promise<T>): Promise<T> {
  try {
    return await span.within(work);
  } catch (error) {
    span.fail(String(error));
    span.end();
    throw error;
  }
}

/** The span ends with the events. */
function watched<E>(run: EventRun<E>, span: OpenSpan, onEvent: (event: E) => void): EventRun<E> {
  async function* events(): AsyncGenerator<E> {
    try {
      yield* observeEvents(run.events, onEvent);
    } catch (error) {
      span.fail(String(error));
      throw error;
    } finally {
      span.end();
    }
  }
  return { ...run, events: events() };
}

/** The parts of a finished answer. They end now, one after the other. */
function addPhases(tracing: OpenTelemetry, span: OpenSpan, statistics: RunStatistics): void {
  const { loadDuration, promptEvalCount, promptEvalDuration, evalCount, evalDuration } = statistics;
  span.set({
    'gen_ai.usage.input_tokens': promptEvalCount,
    'gen_ai.usage.output_tokens': evalCount,
  });
  const phases = [
    ['write', evalDuration, { 'gen_ai.usage.output_tokens': evalCount }],
    ['read prompt', promptEvalDuration, { 'gen_ai.usage.input_tokens': promptEvalCount }],
    ['load model', loadDuration, {}],
  ] as const;
  let end = Date.now();
  for (const [name, nanoseconds, attributes] of phases) {
    const begin = end - nanoseconds / NANOSECONDS_PER_MILLISECOND;
    if (nanoseconds > 0) span.within(() => tracing.add(name, begin, end, attributes));
    end = begin;
  }
}
