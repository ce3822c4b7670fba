/** Streaming bodies: one chunk an item, pulled by the reader, and a stop of the source when the reader leaves. */

const encoder = new TextEncoder();

/**
 * A body of text pieces. An error of `pieces` becomes the piece that `lastWords` makes of it, then the body ends: a
 * started answer can tell of it in no other way. `stop` is called when the reader leaves.
 */
export function textStream(
  pieces: AsyncIterable<string>,
  lastWords: (error: unknown) => string,
  stop: (reason: unknown) => void,
): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  let left = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await iterator.next();
          if (left) return;
          if (done) controller.close();
          else controller.enqueue(encoder.encode(value));
        } catch (error) {
          if (left) return;
          controller.enqueue(encoder.encode(lastWords(error)));
          controller.close();
        }
      },
      cancel(reason) {
        left = true;
        stop(reason);
        // Lets the source clean up in its own time; what it still throws on its way out concerns nobody.
        iterator.return?.().catch(() => {});
      },
    },
    // One item ahead of the reader.
    { highWaterMark: 1 },
  );
}

export function ndjsonResponse(body: ReadableStream<Uint8Array>): Response {
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } });
}

export function eventStreamResponse(body: ReadableStream<Uint8Array>): Response {
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
