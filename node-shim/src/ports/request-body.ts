import type { IncomingMessage } from 'node:http';

/**
 * The body of a request as a stream that reads from the socket only when asked: an upload of any size stays in the
 * client until the core wants it, and giving up the body does not cut the connection that the answer still needs.
 * `onWanted` is called once, at the first read.
 */
export function requestBody(
  incoming: IncomingMessage,
  onWanted?: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let started = false;
  let settle = () => {};
  const wake = () => settle();
  let failure: Error | undefined;
  let finished = false;
  incoming.on('readable', wake);
  incoming.once('end', () => {
    finished = true;
    wake();
  });
  incoming.once('error', (error) => {
    failure = error;
    wake();
  });
  incoming.once('close', () => {
    if (!finished) failure ??= new Error('the client left before its request was complete');
    wake();
  });
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        if (!started) {
          started = true;
          onWanted?.();
        }
        for (;;) {
          const chunk = incoming.read() as Buffer<ArrayBuffer> | null;
          if (chunk !== null) {
            controller.enqueue(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
            return;
          }
          if (finished || incoming.readableEnded) return controller.close();
          if (failure) throw failure;
          await new Promise<void>((resolve) => {
            settle = resolve;
          });
        }
      },
      cancel() {
        // The rest is read and dropped, so that the answer still reaches a client that is busy sending.
        incoming.off('readable', wake);
        incoming.resume();
      },
    },
    { highWaterMark: 0 },
  );
}

/** True when the request line and headers announce a body that Fetch allows. */
export function hasBody(incoming: IncomingMessage): boolean {
  if (incoming.method === 'GET' || incoming.method === 'HEAD') return false;
  return (
    Number(incoming.headers['content-length'] ?? 0) > 0 || incoming.headers['transfer-encoding'] !== undefined
  );
}
