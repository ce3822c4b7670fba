/** Turns a run into a response: streamed as NDJSON, or gathered into one object. Chat and generate differ in `Lines`. */
import {
  earlyResponseHead,
  HEAD_WITHIN,
  jsonResponse,
  ndjsonResponse,
  printJson,
  textStream,
} from '#core/http';
import { RUNNER_STOPPED } from '../base/engine-errors.ts';
import { type Gathered, gather } from '../runs/collect-run.ts';
import type { Run, RunEvent } from '../runs/events.ts';
import type { ChatRequest } from '../runs/requests.ts';
import type { LocalModels } from '../runs/services.ts';
import { BARE_JSON_TYPE, errorBody, JSON_TYPE, nativeFailure } from './errors.ts';

/** How one route words what a run gives, each a JSON object to be printed. */
export interface Lines {
  /** A piece of a stream; undefined when there is nothing to tell yet. */
  event(event: RunEvent): object | undefined;
  /** The whole answer. */
  whole(answer: Gathered): object;
  /** The model was loaded or unloaded. */
  state(reason: 'load' | 'unload'): object;
  rendered(text: string): object;
}

/** A run whose first event, or readiness for it, has been awaited: what failed until then was thrown. */
export interface Started {
  first: Promise<IteratorResult<RunEvent>>;
  iterator: AsyncIterator<RunEvent>;
}

export async function startRun(run: Extract<Run, { kind: 'events' }>): Promise<Started> {
  const iterator = run.events[Symbol.asyncIterator]();
  const first = iterator.next();
  first.catch(() => {});
  run.ready.catch(() => {});
  try {
    await Promise.race([run.ready, first]);
  } catch (error) {
    iterator.return?.().catch(() => {});
    throw error;
  }
  return { first, iterator };
}

/** All events of a started run. Ending the iteration early ends the run; a run without its `done` event throws. */
export async function* eventsOf({ first, iterator }: Started): AsyncGenerator<RunEvent> {
  let done = false;
  try {
    for (let next = await first; !next.done; next = await iterator.next()) {
      done = next.value.type === 'done';
      yield next.value;
    }
  } finally {
    await iterator.return?.().catch(() => {});
  }
  if (!done) throw new Error(RUNNER_STOPPED);
}

async function* printLines(started: Started, lines: Lines): AsyncGenerator<string> {
  for await (const event of eventsOf(started)) {
    const line = lines.event(event);
    if (line !== undefined) yield `${printJson(line)}\n`;
  }
}

export interface Beginning {
  format(): Promise<ChatRequest['format']>;
  /** Starts the run; what it throws is answered with its own status. */
  begin(format: ChatRequest['format'], signal: AbortSignal): Promise<Run>;
}

export function respondToRun(
  models: LocalModels,
  stream: boolean,
  lines: Lines,
  { format, begin }: Beginning,
  signal: AbortSignal,
): Promise<Response> {
  return earlyResponseHead(
    async (head) => {
      let read: ChatRequest['format'];
      try {
        read = await format();
      } catch (error) {
        return nativeFailure(error, stream ? BARE_JSON_TYPE : JSON_TYPE);
      }
      const run = await begin(read, head.signal);
      if (run.kind === 'rendered') return jsonResponse(lines.rendered(run.text));
      if (run.kind !== 'events') return jsonResponse(lines.state(run.kind === 'loaded' ? 'load' : 'unload'));
      try {
        const started = await startRun(run);
        if (stream)
          return ndjsonResponse(
            textStream(printLines(started, lines), (error) => `${errorBody(error)}\n`, head.stop),
          );
        head.sendWithin(models.host.capabilities.headWithinOfStart);
        return jsonResponse(lines.whole(await gather(eventsOf(started))));
      } catch (error) {
        return nativeFailure(error, stream ? BARE_JSON_TYPE : JSON_TYPE);
      }
    },
    {
      clock: models.host.clock,
      within: HEAD_WITHIN,
      contentType: stream ? 'application/x-ndjson' : JSON_TYPE,
      failure: nativeFailure,
      lateError: (body) => (stream ? `${body}\n` : body),
    },
    signal,
  );
}
