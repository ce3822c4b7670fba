/** Answers of pull, push and create: lines of progress, or one word at the end. */
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
import type { PullProgress } from '../registry/progress.ts';
import { BARE_JSON_TYPE, describeFailure, errorBody, nativeFailure } from './errors.ts';

/** Fields in the order of the recordings; what has not begun to move has no `completed`. */
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
  /** Without a stream, what fails after the first line is a 500 whatever its own status. */
  always500: boolean;
}

/** What fails before the first line has its own status; later it is a line in the stream. */
export function progressResponse(
  clock: Pick<Clock, 'after'>,
  begin: (signal: AbortSignal) => AsyncIterable<PullProgress>,
  { stream, always500 }: ProgressOptions,
  signal: AbortSignal,
): Promise<Response> {
  return earlyResponseHead(
    async (head) => {
      const iterator = begin(head.signal)[Symbol.asyncIterator]();
      if (stream) {
        const first = await iterator.next();
        const lines = progressLines(first, iterator);
        return ndjsonResponse(textStream(lines, (error) => `${errorBody(error)}\n`, head.stop));
      }
      let last = await iterator.next();
      try {
        for (; !last.done; last = await iterator.next());
      } catch (error) {
        if (!always500 || describeFailure(error).status === 499) throw error;
        throw new ApiError(500, describeFailure(error).message, { cause: error });
      }
      return textResponse('{"status":"success"}', 200, BARE_JSON_TYPE);
    },
    {
      clock,
      within: HEAD_WITHIN,
      contentType: stream ? 'application/x-ndjson' : BARE_JSON_TYPE,
      failure: (error) => nativeFailure(error, BARE_JSON_TYPE),
      lateError: (text) => (stream ? `${text}\n` : text),
    },
    signal,
  );
}
