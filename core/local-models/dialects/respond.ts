/** A run as the answer of a dialect: one object, or server-sent events. */
import {
  earlyResponseHead,
  eventStreamResponse,
  HEAD_WITHIN,
  printJson,
  textResponse,
  textStream,
  withHeaders,
} from '#core/http';
import { eventsOf, startRun } from '../routes/run-response.ts';
import { type Gathered, gather } from '../runs/collect-run.ts';
import type { Run, RunEvent, RunStatistics } from '../runs/events.ts';
import type { LocalModels } from '../runs/services.ts';

/** The end of an answer; `load`: there was nothing to say anything to, the model was only loaded. */
export interface Ending {
  type: 'done';
  reason: 'stop' | 'length' | 'load';
  statistics: RunStatistics;
}
export type AnswerEvent = Exclude<RunEvent, { type: 'done' }> | Ending;
export type Answer = Gathered<Ending>;

const LOADED: Ending = {
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

/** How a dialect words one answer. */
export interface Wording {
  /** An object to be printed as JSON, or the response itself where it is no JSON. */
  whole(answer: Answer): object | Response;
  /** The server-sent events for an event of the run. */
  events(event: AnswerEvent): Iterable<string>;
  /** Stands behind the last event. */
  terminator?: string;
  /** The prompt, where a request can ask to see it. */
  rendered?(text: string): object;
  /** The answer to an error before anything was said. */
  failure(error: unknown): Response;
  /** What a stream that has begun says of an error. */
  lateFailure(error: unknown): string;
}

export interface Asked {
  stream: boolean;
  /** Headers of a streamed answer, errors included. */
  streamHeaders?: Record<string, string>;
  begin(signal: AbortSignal): Promise<Run>;
}

export const jsonLine = (value: object) => textResponse(`${printJson(value)}\n`, 200, 'application/json');

async function* once(event: Ending): AsyncGenerator<AnswerEvent> {
  yield event;
}

async function* printed(events: AsyncIterable<AnswerEvent>, wording: Wording): AsyncGenerator<string> {
  for await (const event of events) yield* wording.events(event);
  if (wording.terminator) yield wording.terminator;
}

export function respond(
  models: LocalModels,
  { stream, streamHeaders = {}, begin }: Asked,
  wording: Wording,
  signal: AbortSignal,
): Promise<Response> {
  const headers = stream ? streamHeaders : {};
  let failed: unknown;
  return earlyResponseHead(
    async (head) => {
      const run = await begin(head.signal);
      if (run.kind === 'rendered') return jsonLine(wording.rendered?.(run.text) ?? {});
      const events = run.kind === 'events' ? eventsOf(await startRun(run)) : once(LOADED);
      if (stream) {
        const body = textStream(printed(events, wording), (error) => wording.lateFailure(error), head.stop);
        return withHeaders(eventStreamResponse(body), headers);
      }
      head.sendWithin(models.host.capabilities.headWithinOfStart);
      const whole = wording.whole(await gather(events));
      return whole instanceof Response ? whole : jsonLine(whole);
    },
    {
      clock: models.host.clock,
      within: HEAD_WITHIN,
      contentType: stream ? 'text/event-stream' : 'application/json',
      headers,
      failure(error) {
        failed = error;
        return withHeaders(wording.failure(error), headers);
      },
      lateError: (body) => (stream ? wording.lateFailure(failed ?? new Error(body)) : body),
    },
    signal,
  );
}
