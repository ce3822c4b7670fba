/** Answers /api/chat and /api/generate: streamed as NDJSON, or as one object. */
import {
  earlyResponseHead,
  HEAD_WITHIN,
  jsonResponse,
  ndjsonResponse,
  printJson,
  textStream,
} from '#core/http';
import { BARE_JSON_TYPE, JSON_TYPE, NDJSON_TYPE } from '../base/content-types.ts';
import { type CollectedRun, collectRun } from '../runs/collect-run.ts';
import type { AnswerRun, Run, RunEvent } from '../runs/events.ts';
import type { LocalModelServices } from '../runs/services.ts';
import { nativeError, nativeErrorBody } from './errors.ts';
import { FormatError } from './run-request.ts';

/** The JSON objects in which a route answers. Chat and generate differ only in these. */
export interface RunPrinter {
  /** A line of a stream. Undefined when the event belongs to a later line. */
  event(event: RunEvent): object | undefined;
  /** The complete answer. */
  complete(answer: CollectedRun): object;
  /** The model was loaded or unloaded. */
  state(reason: 'load' | 'unload'): object;
  rendered(text: string): object;
}

async function* printLines(run: AnswerRun, printer: RunPrinter): AsyncGenerator<string> {
  for await (const event of run.events) {
    const line = printer.event(event);
    if (line !== undefined) yield `${printJson(line)}\n`;
  }
}

/**
 * Starts a run and responds with it. The status is that of any error before the model accepts the prompt.
 * @param stream one line an event, or one object at the end
 * @param start starts the run; its errors have the charset of ordinary answers, those of the run itself none in a stream
 */
export function respondToRun(
  { host }: LocalModelServices,
  stream: boolean,
  printer: RunPrinter,
  start: (signal: AbortSignal) => Promise<Run>,
  signal: AbortSignal,
): Promise<Response> {
  const runErrorType = stream ? BARE_JSON_TYPE : JSON_TYPE;
  return earlyResponseHead(
    async (head) => {
      const run = await start(head.signal);
      if (run.kind === 'rendered') return jsonResponse(printer.rendered(run.text));
      if (run.kind !== 'events')
        return jsonResponse(printer.state(run.kind === 'loaded' ? 'load' : 'unload'));
      try {
        await run.ready;
        if (stream) {
          const lines = printLines(run, printer);
          return ndjsonResponse(textStream(lines, (error) => `${nativeErrorBody(error)}\n`, head.stop));
        }
        head.sendWithin(host.capabilities.maxHeadDelayAfterStart);
        return jsonResponse(printer.complete(await collectRun(run.events)));
      } catch (error) {
        return nativeError(error, runErrorType);
      }
    },
    {
      clock: host.clock,
      within: HEAD_WITHIN,
      contentType: stream ? NDJSON_TYPE : JSON_TYPE,
      failure: (error) => nativeError(error, error instanceof FormatError ? runErrorType : JSON_TYPE),
      lateError: (body) => (stream ? `${body}\n` : body),
    },
    signal,
  );
}
