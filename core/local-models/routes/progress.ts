/** Answers /api/pull, /api/push and /api/create: with lines of progress, or one object at the end. */
import type { Clock } from '#core/host';
import {
  ApiError,
  earlyResponseHead,
  HEAD_WITHIN,
  ndjsonResponse,
  printJson,
  textResponse,
  textStream,
} from '#core/http';
import { BARE_JSON_TYPE, NDJSON_TYPE } from '../base/content-types.ts';
import { describeError } from '../base/errors.ts';
import type { PullProgress } from '../registry/progress.ts';
import { nativeError, nativeErrorBody } from './errors.ts';

/** Fields in Ollama's order. A transfer that has not started has no `completed`. */
const progressLine = ({ status, digest, total, completed }: PullProgress) =>
  `${printJson({ status, digest, total: total || undefined, completed: completed || undefined })}\n`;

async function* progressLines(
  first: IteratorResult<PullProgress>,
  iterator: AsyncIterator<PullProgress>,
): AsyncGenerator<string> {
  try {
    for (let next = first; !next.done; next = await iterator.next()) yield progressLine(next.value);
  } finally {
    await iterator.return?.().catch(() => {});
  }
}

export interface ProgressOptions {
  stream: boolean;
  /** Without a stream, an error after the first line is a 500, whatever its own status. */
  always500: boolean;
}

/** An error before the first line has its own status. A later one is a line of the stream. */
export function progressResponse(
  clock: Pick<Clock, 'after'>,
  start: (signal: AbortSignal) => AsyncIterable<PullProgress>,
  { stream, always500 }: ProgressOptions,
  signal: AbortSignal,
): Promise<Response> {
  return earlyResponseHead(
    async (head) => {
      const iterator = start(head.signal)[Symbol.asyncIterator]();
      if (stream) {
        const first = await iterator.next();
        const lines = progressLines(first, iterator);
        return ndjsonResponse(textStream(lines, (error) => `${nativeErrorBody(error)}\n`, head.stop));
      }
      let last = await iterator.next();
      try {
        for (; !last.done; last = await iterator.next());
      } catch (error) {
        if (!always500 || describeError(error).status === 499) throw error;
        throw new ApiError(500, describeError(error).message, { cause: error });
      }
      return textResponse('{"status":"success"}', 200, BARE_JSON_TYPE);
    },
    {
      clock,
      within: HEAD_WITHIN,
      contentType: stream ? NDJSON_TYPE : BARE_JSON_TYPE,
      failure: (error) => nativeError(error, BARE_JSON_TYPE),
      lateError: (text) => (stream ? `${text}\n` : text),
    },
    signal,
  );
}
