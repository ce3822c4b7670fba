/** Responds with a run in a dialect: as one object, or as server-sent events. */
import {
  earlyResponseHead,
  eventStreamResponse,
  HEAD_WITHIN,
  printJson,
  textResponse,
  textStream,
  withHeaders,
} from '#core/http';
import { BARE_JSON_TYPE } from '../base/content-types.ts';
import { type CollectedRun, collectRun } from '../runs/collect-run.ts';
import type { Run, RunEvent, RunStatistics } from '../runs/events.ts';
import type { LocalModelServices } from '../runs/services.ts';

/** The end of an answer. `load`: the request had nothing to answer and only loaded the model. */
export interface DialectEnd {
  type: 'done';
  reason: 'stop' | 'length' | 'load';
  statistics: RunStatistics;
}
export type DialectEvent = Exclude<RunEvent, { type: 'done' }> | DialectEnd;
export type DialectAnswer = CollectedRun<DialectEnd>;

const LOADED: DialectEnd = {
  type: 'done',
  reason: 'load',
  statistics: {
    totalDuration: 0,
    loadDuration: 0,
    promptEvalCount: 0,
    promptEvalDuration: 0,
    evalCount: 0,
    evalDuration: 0,
  },
};

/** Prints one answer in a dialect. */
export interface DialectPrinter {
  /** The complete answer: an object to be printed as JSON, or a response of another type. */
  complete(answer: DialectAnswer): object | Response;
  /** The server-sent events for one event of the run. */
  events(event: DialectEvent): Iterable<string>;
  /** Text that follows the last event. */
  terminator?: string;
  /** The rendered prompt, in dialects that can show it. */
  rendered?(text: string): object;
  /** The response to an error before the stream starts. */
  error(error: unknown): Response;
  /** The last event of a stream that fails. */
  streamError(error: unknown): string;
}

export interface DialectRun {
  stream: boolean;
  /** Headers of a streamed response, and of an error instead of it. */
  streamHeaders?: Record<string, string>;
  start(signal: AbortSignal): Promise<Run>;
}

/** Ollama's dialects end JSON with a line feed, and send no charset. */
export const jsonLine = (value: object) => textResponse(`${printJson(value)}\n`, 200, BARE_JSON_TYPE);

/** Starts the run and responds. The status is that of any error before the model accepts the prompt. */
export function respond(
  { host }: LocalModelServices,
  { stream, streamHeaders = {}, start }: DialectRun,
  printer: DialectPrinter,
  signal: AbortSignal,
): Promise<Response> {
  const headers = stream ? streamHeaders : {};
  let failure: unknown;
  return earlyResponseHead(
    async (head) => {
      const run = await start(head.signal);
      if (run.kind === 'rendered') return jsonLine(printer.rendered?.(run.text) ?? {});
      const events = await eventsOf(run);
      if (stream) {
        const pieces = printEvents(events, printer);
        const body = textStream(pieces, (error) => printer.streamError(error), head.stop);
        return withHeaders(eventStreamResponse(body), headers);
      }
      head.sendWithin(host.capabilities.maxHeadDelayAfterStart);
      const answer = printer.complete(await collectRun(events));
      return answer instanceof Response ? answer : jsonLine(answer);
    },
    {
      clock: host.clock,
      within: HEAD_WITHIN,
      contentType: stream ? 'text/event-stream' : BARE_JSON_TYPE,
      headers,
      failure(error) {
        failure = error;
        return withHeaders(printer.error(error), headers);
      },
      // `body` is the printed error; a stream needs the error itself, to print it as an event.
      lateError: (body) => (stream ? printer.streamError(failure ?? new Error(body)) : body),
    },
    signal,
  );
}

/** Waits until the model accepts the prompt. A request that only loads the model is answered as an empty run. */
async function eventsOf(run: Exclude<Run, { kind: 'rendered' }>): Promise<AsyncIterable<DialectEvent>> {
  if (run.kind !== 'events') return only(LOADED);
  await run.ready;
  return run.events;
}

async function* only(event: DialectEnd): AsyncGenerator<DialectEvent> {
  yield event;
}

async function* printEvents(
  events: AsyncIterable<DialectEvent>,
  printer: DialectPrinter,
): AsyncGenerator<string> {
  for await (const event of events) yield* printer.events(event);
  if (printer.terminator) yield printer.terminator;
}
