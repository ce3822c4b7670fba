/** Serves large files with ranges, and simulates the faults of networks. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The bytes, or the path of a file with them. */
export type Content = Uint8Array | string;

/** Each fault lasts until a test removes it, or for `times` answers. */
export interface Faults {
  /** Breaks the connection at this fraction of the file (0.4 = 40 %). */
  cut?: { at: number; times: number };
  /** Flips a bit of a byte in the middle of the file. */
  flip?: { times: number };
  /** Answers with this status instead, after `skip` good answers. */
  status?: { code: number; times: number; retryAfter?: number; skip?: number };
  /** Ignores the header Range. */
  noRange?: boolean;
  /** Milliseconds before each chunk of `piece` bytes. */
  slow?: { delay: number; piece: number };
  /** Sends this fraction of the file and then nothing, without closing. */
  stall?: { at: number; times: number };
  /** No ETag, or one that is not the digest of the file. By default it is the digest. */
  etag?: 'none' | 'opaque';
}

export interface StoredFile {
  size: number;
  /** The digest of the file, in hexadecimal. */
  sha256: string;
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}

export interface ReceivedRequest {
  server: string;
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
}

export async function storeFile(content: Content): Promise<StoredFile> {
  if (typeof content !== 'string') {
    return {
      size: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
      async *read(start, end) {
        yield content.subarray(start, end);
      },
    };
  }
  const file = await open(content);
  const { size } = await file.stat();
  const hash = createHash('sha256');
  for await (const part of file.createReadStream()) hash.update(part as Buffer);
  return {
    size,
    sha256: hash.digest('hex'),
    async *read(start, end) {
      if (end <= start) return;
      const opened = await open(content);
      yield* opened.createReadStream({ start, end: end - 1 }) as AsyncIterable<Buffer>;
    },
  };
}

/** Answers a request for `file`, with the faults of `faults`. */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: StoredFile,
  faults: Faults,
): Promise<void> {
  if (faults.status?.skip) {
    faults.status.skip--;
  } else if (take(faults.status)) {
    const { code, retryAfter } = faults.status!;
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
    response.writeHead(code).end('a fault of the test');
    return;
  }
  const range = faults.noRange ? undefined : /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  const start = Number(range?.[1] ?? 0);
  const end = range?.[2] ? Math.min(Number(range[2]) + 1, file.size) : file.size;
  if (faults.etag === 'opaque') response.setHeader('etag', `"v-${file.sha256.slice(0, 8)}"`);
  else if (!faults.etag) response.setHeader('etag', `"${file.sha256}"`);
  if (!faults.noRange) response.setHeader('accept-ranges', 'bytes');
  if (range && start >= file.size) {
    response.writeHead(416, { 'content-range': `bytes */${file.size}` }).end();
    return;
  }
  response.setHeader('content-type', 'application/octet-stream');
  response.setHeader('content-length', end - start);
  if (range) response.setHeader('content-range', `bytes ${start}-${end - 1}/${file.size}`);
  response.writeHead(range ? 206 : 200);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  await sendBytes(response, file, start, end, faults);
}

async function sendBytes(
  response: ServerResponse,
  file: StoredFile,
  start: number,
  end: number,
  faults: Faults,
): Promise<void> {
  const { slow } = faults;
  const cutAt =
    faults.cut && start < faults.cut.at * file.size && take(faults.cut) ? faults.cut.at : undefined;
  const stallAt = faults.stall && take(faults.stall) ? faults.stall.at : undefined;
  const last = Math.min(end, Math.floor((cutAt ?? stallAt ?? 1) * file.size));
  const flipAt = take(faults.flip) ? Math.floor(file.size / 2) : -1;
  let at = start;
  for await (const part of file.read(start, last)) {
    for (let from = 0; from < part.length; from += slow?.piece ?? part.length) {
      const piece = Buffer.from(part.subarray(from, from + (slow?.piece ?? part.length)));
      if (flipAt >= at && flipAt < at + piece.length) piece[flipAt - at]! ^= 1;
      at += piece.length;
      if (slow) await sleep(slow.delay);
      if (response.destroyed) return;
      if (!response.write(piece)) await drained(response);
    }
  }
  if (stallAt !== undefined) return;
  if (cutAt === undefined) response.end();
  // Waits until the bytes are sent.
  else setTimeout(() => response.destroy(), 20);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.once('drain', done).once('close', done);
  });
}

function take(fault: { times: number } | undefined): boolean {
  if (!fault || fault.times <= 0) return false;
  fault.times--;
  return true;
}

export interface LocalServer {
  /** `http://127.0.0.1:PORT` */
  url: string;
  close(): Promise<void>;
}

/** A server on a free port, which pages of other origins may read. */
export async function startServer(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
): Promise<LocalServer> {
  const server: Server = createServer(async (request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', '*, authorization, range');
    response.setHeader('access-control-expose-headers', '*, etag, content-range, content-length');
    if (request.method === 'OPTIONS') {
      response.writeHead(204).end();
      return;
    }
    try {
      await answer(request, response);
    } catch (error) {
      response.destroy(error as Error);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
