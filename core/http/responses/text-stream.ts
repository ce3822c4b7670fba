/** Streaming bodies: one chunk an item, pulled by the reader. */

const encoder = new TextEncoder();

/**
 * A body of text or byte chunks. It reads one item ahead of its reader.
 * @param lastWords the last text of the body after an error of `chunks`: a response that has begun can report it in no
 *   other way. Without it the body breaks off with that error.
 * @param stop called when the reader cancels
 */
export function textStream(
  chunks: AsyncIterable<string | Uint8Array>,
  lastWords: ((error: unknown) => string) | undefined,
  stop: (reason: unknown) => void,
): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  let isCancelled = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await iterator.next();
          if (isCancelled) return;
          if (done) controller.close();
          else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
        } catch (error) {
          if (isCancelled) return;
          if (!lastWords) throw error;
          controller.enqueue(encoder.encode(lastWords(error)));
          controller.close();
        }
      },
      cancel(reason) {
        isCancelled = true;
        stop(reason);
        // The source cleans up in its own time. Nobody is left who could be informed of an error.
        iterator.return?.().catch(() => {});
      },
    },
    { highWaterMark: 1 },
  );
}

/** A streamed answer of one JSON value a line, with status 200. */
export function ndjsonResponse(body: ReadableStream<Uint8Array>): Response {
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } });
}

/** A streamed answer of server-sent events, with status 200. */
export function eventStreamResponse(body: ReadableStream<Uint8Array>): Response {
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
