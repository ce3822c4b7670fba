import type { IncomingMessage } from 'node:http';

/** Milliseconds without data after which a pending read of the body fails. */
const SILENCE_LIMIT = 120_000;
/** Milliseconds between that failure and the end of the connection, in which the client can receive the response. */
const CLOSE_DELAY = 1000;

/**
 * The body of a request as a stream that reads from the socket on demand. An upload of any size thus waits in
 * the client until the core reads it. Cancelling the stream keeps the connection open for the response.
 * `onFirstRead` is called once, at the first read.
 */
export function requestBody(
  incoming: IncomingMessage,
  onFirstRead?: () => void,
  silenceLimit: number = SILENCE_LIMIT,
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
          onFirstRead?.();
        }
        for (;;) {
          const chunk = incoming.read() as Buffer<ArrayBuffer> | null;
          if (chunk !== null) {
            controller.enqueue(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
            return;
          }
          if (finished || incoming.readableEnded) return controller.close();
          if (failure) throw failure;
          const fellSilent = setTimeout(() => {
            failure = new Error(`nothing more of the request came within ${silenceLimit / 1000} s`);
            setTimeout(() => incoming.destroy(), CLOSE_DELAY).unref();
            wake();
          }, silenceLimit);
          await new Promise<void>((resolve) => {
            settle = resolve;
          });
          clearTimeout(fellSilent);
        }
      },
      cancel() {
        // The rest is read and dropped, so that a client that is still sending can receive the response.
        incoming.off('readable', wake);
        incoming.resume();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Whether the request has a body that Fetch allows. */
export function hasBody(incoming: IncomingMessage): boolean {
  if (incoming.method === 'GET' || incoming.method === 'HEAD') return false;
  return (
    Number(incoming.headers['content-length'] ?? 0) > 0 || incoming.headers['transfer-encoding'] !== undefined
  );
}
