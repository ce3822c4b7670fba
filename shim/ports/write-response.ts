import type { ServerResponse } from 'node:http';
import { BytesResponse } from '#core/http';

/**
 * Writes a Fetch Response to the socket: first the head, then each chunk at the client's speed. Cancels the
 * body when the client disconnects. If the body fails, destroys the connection, so that the client notices.
 * Never rejects.
 */
export async function writeResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  if (response instanceof BytesResponse && !response.bodyUsed) return writeBytes(response, outgoing);
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
    const start = await readReadyChunks(reader);
    const needsLength = start.isComplete && !response.headers.has('content-length');
    writeHead(response, outgoing, needsLength ? (start.chunks[0]?.byteLength ?? 0) : undefined);
    if (outgoing.req.method === 'HEAD') {
      leave();
      outgoing.end();
      return await finished(outgoing);
    }
    if (start.isComplete) {
      // Head and body are sent in one packet.
      outgoing.end(start.chunks[0]);
      return await finished(outgoing);
    }
    outgoing.flushHeaders();
    for (const chunk of start.chunks) await write(outgoing, chunk);
    let next: BodyStart['pending'] = start.pending ?? reader.read();
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

/** Head and body are sent in one packet. A text of ASCII is even one string with the head, which is written faster. */
function writeBytes(response: BytesResponse, outgoing: ServerResponse): Promise<void> {
  const { content, headers, ascii } = response;
  writeHead(response, outgoing, headers.has('content-length') ? undefined : content.byteLength);
  if (outgoing.req.method === 'HEAD') outgoing.end();
  else if (ascii !== undefined) outgoing.end(ascii, 'latin1');
  else outgoing.end(content);
  return finished(outgoing);
}

interface BodyStart {
  chunks: Uint8Array[];
  /** Whether the chunks are the complete body. */
  isComplete?: boolean;
  /** A read that has not settled yet. */
  pending?: ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>;
}

/**
 * Reads the chunks that are available at once. A string or bytes end after a single chunk, within one turn of the event
 * loop. Such a body gets a Content-Length and is sent together with the head. Any other body is a stream, whose head is
 * sent now.
 */
async function readReadyChunks(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<BodyStart> {
  const chunks: Uint8Array[] = [];
  const nextTurn = new Promise<undefined>((resolve) => setImmediate(resolve, undefined));
  for (;;) {
    const pending = reader.read();
    const result = await Promise.race([pending, nextTurn]);
    if (!result) {
      pending.catch(() => {}); // handled where it is awaited, after the chunks before it are written
      return { chunks, pending };
    }
    if (result.done) return { chunks, isComplete: true };
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
/** Limits the cache of header names, because workflows may send any number of them. */
const MAX_CACHED_NAMES = 500;

/** Capitalizes a header name as most servers do: `Content-Type`. Some scripts compare names with case. */
function wireName(name: string): string {
  let spelled = wireNames.get(name);
  if (spelled === undefined) {
    spelled = name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
    if (wireNames.size < MAX_CACHED_NAMES) wireNames.set(name, spelled);
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
