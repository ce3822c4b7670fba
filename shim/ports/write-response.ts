import type { ServerResponse } from 'node:http';

/**
 * Puts a Fetch Response on the wire: head at once, then chunk by chunk as the client takes them. Cancels the body when
 * the client has left; ends the connection without its regular end when the body fails. Never throws.
 */
export async function writeResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  const reader = response.body?.getReader();
  if (!reader) {
    writeHead(response, outgoing);
    outgoing.end();
    return finished(outgoing);
  }
  const leave = () => void reader.cancel(new Error('the client has left')).catch(() => {});
  if (outgoing.destroyed) return leave();
  outgoing.once('close', leave);
  try {
    const start = await readAtOnce(reader);
    const untold = start.whole && !response.headers.has('content-length');
    writeHead(response, outgoing, untold ? (start.chunks[0]?.byteLength ?? 0) : undefined);
    if (outgoing.req.method === 'HEAD') {
      leave();
      outgoing.end();
      return await finished(outgoing);
    }
    if (start.whole) {
      // Head and body in one packet.
      outgoing.end(start.chunks[0]);
      return await finished(outgoing);
    }
    outgoing.flushHeaders();
    for (const chunk of start.chunks) await write(outgoing, chunk);
    let next: Start['pending'] = start.pending ?? reader.read();
    while (next) {
      const { done, value } = await next;
      if (done || outgoing.destroyed) break;
      await write(outgoing, value);
      next = reader.read();
    }
    outgoing.end();
    await finished(outgoing);
  } catch {
    outgoing.destroy();
  } finally {
    outgoing.off('close', leave);
  }
}

interface Start {
  chunks: Uint8Array[];
  /** The chunks are the whole body. */
  whole?: boolean;
  /** A read that has begun and not settled. */
  pending?: ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>;
}

/**
 * A body that is there already (a string, bytes) is known by ending within one turn of the event loop after a single
 * chunk; only then can its length be told, and head and body go out together. Everything else is a stream, and its head goes
 * out now.
 */
async function readAtOnce(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Start> {
  const chunks: Uint8Array[] = [];
  const turn = new Promise<undefined>((resolve) => setImmediate(resolve, undefined));
  for (;;) {
    const pending = reader.read();
    const result = await Promise.race([pending, turn]);
    if (!result) {
      pending.catch(() => {}); // handled where it is awaited, after the chunks before it are written
      return { chunks, pending };
    }
    if (result.done) return { chunks, whole: true };
    chunks.push(result.value);
    if (chunks.length > 1) return { chunks };
  }
}

function writeHead(response: Response, outgoing: ServerResponse, length?: number): void {
  const headers: string[] = [];
  for (const [name, value] of response.headers) headers.push(wireName(name), value);
  const bodiless = response.status === 204 || response.status === 304;
  if (length !== undefined && !bodiless) headers.push('Content-Length', String(length));
  outgoing.writeHead(response.status, response.statusText || undefined, headers);
}

const wireNames = new Map<string, string>();
/** Workflows make up names of their own: those are not all kept. */
const MOST_NAMES = 500;

/** Header names as servers usually spell them, for the scripts that compare them with case: `Content-Type`. */
function wireName(name: string): string {
  let spelled = wireNames.get(name);
  if (spelled === undefined) {
    spelled = name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
    if (wireNames.size < MOST_NAMES) wireNames.set(name, spelled);
  }
  return spelled;
}

async function write(outgoing: ServerResponse, chunk: Uint8Array): Promise<void> {
  if (chunk.byteLength === 0 || outgoing.write(chunk) || outgoing.destroyed) return;
  await settled(outgoing, 'drain');
}

async function finished(outgoing: ServerResponse): Promise<void> {
  if (!outgoing.writableFinished && !outgoing.destroyed) await settled(outgoing, 'finish');
}

/** Waits for the event, or for the end of the connection. */
function settled(outgoing: ServerResponse, event: 'drain' | 'finish'): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off(event, done).off('close', done);
      resolve();
    };
    outgoing.once(event, done).once('close', done);
  });
}
