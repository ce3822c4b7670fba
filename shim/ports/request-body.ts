import type { IncomingMessage } from 'node:http';

/** Milliseconds of silence after which a body that is waited for counts as broken off. */
const SILENCE = 120_000;
/** Milliseconds that a client which fell silent has to take the answer that says so. */
const FAREWELL = 1000;

/**
 * The body of a request as a stream that reads from the socket only when asked: an upload of any size stays in the
 * client until the core wants it, and giving up the body does not cut the connection that the answer still needs.
 * `onWanted` is called once, at the first read.
 */
export function requestBody(
  incoming: IncomingMessage,
  onWanted?: () => void,
  silence: number = SILENCE,
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
          const fellSilent = setTimeout(() => {
            failure = new Error(`nothing more of the request came within ${silence / 1000} s`);
            setTimeout(() => incoming.destroy(), FAREWELL).unref();
            wake();
          }, silence);
          await new Promise<void>((resolve) => {
            settle = resolve;
          });
          clearTimeout(fellSilent);
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
