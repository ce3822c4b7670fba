/** Streaming bodies: one chunk an item, pulled by the reader. */

const encoder = new TextEncoder();

/**
 * A body of text or byte chunks. It reads one item ahead of its reader.
 * @param errorText makes the last text of the body from an error of `chunks`. A response that has begun can report
 *   errors in no other way. Without this function, the body's stream fails with that error.
 * @param stop called when the reader cancels
 */
export function textStream(
  chunks: AsyncIterable<string | Uint8Array>,
  errorText: ((error: unknown) => string) | undefined,
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
          if (!errorText) throw error;
          controller.enqueue(encoder.encode(errorText(error)));
          controller.close();
        }
      },
      cancel(reason) {
        isCancelled = true;
        stop(reason);
        // Do not wait for the source to clean up. Its errors have no reader any more.
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
