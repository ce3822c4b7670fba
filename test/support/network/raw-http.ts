/**
 * An HTTP/1.1 exchange on a socket of its own, byte for byte.
 * Any method, path and header can be sent. The answer keeps its header lines and its chunks.
 */
import { connect } from 'node:net';

export interface RawRequest {
  method: string;
  /** Sent unchanged: `//api/tags`, `*`, … */
  path: string;
  /** Adds `Host` if it is missing, and `Content-Length` for a body that is not chunked. */
  headers?: [string, string][];
  body?: string | Uint8Array;
  /** Milliseconds until the exchange is cancelled. */
  timeout?: number;
  /** Closes the socket, as the disconnect of a client does. */
  signal?: AbortSignal;
}

export interface RawResponse {
  status: number;
  statusText: string;
  headers: [string, string][];
  body: Buffer<ArrayBuffer>;
  /** The HTTP chunks as sent. Undefined for a body with a length. */
  chunks?: Buffer<ArrayBuffer>[];
}

export function rawRequest(port: number, request: RawRequest, host = '127.0.0.1'): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host);
    const received: Buffer[] = [];
    const timeout = request.timeout ?? 60_000;
    let settled = false;
    const finish = (error: Error | undefined, response?: RawResponse) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      socket.destroy();
      if (response) resolve(response);
      else reject(error ?? new Error('connection closed before the answer was whole'));
    };
    const timer = setTimeout(
      () => finish(new Error(`no whole answer to ${request.method} ${request.path} within ${timeout} ms`)),
      timeout,
    );
    request.signal?.addEventListener('abort', () => finish(request.signal?.reason), { once: true });
    socket.on('connect', () => socket.write(encode(request, `${host}:${port}`)));
    socket.on('error', (error) => finish(error));
    socket.on('data', (data: Buffer) => {
      received.push(data);
      try {
        const response = parse(Buffer.concat(received), request.method, false);
        if (response) finish(undefined, response);
      } catch (error) {
        finish(error as Error);
      }
    });
    socket.on('end', () => finish(undefined, parse(Buffer.concat(received), request.method, true)));
  });
}

function encode(request: RawRequest, host: string): Buffer {
  const headers = [...(request.headers ?? [])];
  const has = (name: string) => headers.some(([key]) => key.toLowerCase() === name);
  const body = Buffer.from(request.body ?? '');
  if (!has('host')) headers.unshift(['Host', host]);
  if (request.body !== undefined && !has('content-length') && !has('transfer-encoding')) {
    headers.push(['Content-Length', String(body.length)]);
  }
  const head = [
    `${request.method} ${request.path} HTTP/1.1`,
    ...headers.map(([key, value]) => `${key}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
}

/** Undefined while it is incomplete. */
function parse(bytes: Buffer, method: string, ended: boolean): RawResponse | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const [, status, statusText = ''] = /^HTTP\/1\.[01] (\d{3}) ?(.*)$/.exec(first) ?? [];
  if (!status) throw new Error(`not an HTTP answer: ${first}`);
  // 100 Continue precedes the actual answer.
  if (status === '100') return parse(bytes.subarray(headEnd + 4), method, ended);
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const value = (name: string) => headers.find(([key]) => key.toLowerCase() === name)?.[1];
  const rest = Buffer.from(bytes.subarray(headEnd + 4));
  const answer = { status: Number(status), statusText, headers };
  if (method === 'HEAD' || status === '204' || status === '304') return { ...answer, body: Buffer.alloc(0) };
  if (value('transfer-encoding')?.toLowerCase() === 'chunked') {
    const chunks = parseChunks(rest);
    return chunks && { ...answer, body: Buffer.concat(chunks), chunks };
  }
  const length = value('content-length');
  if (length === undefined) return ended ? { ...answer, body: rest } : undefined;
  return rest.length >= Number(length) ? { ...answer, body: rest.subarray(0, Number(length)) } : undefined;
}

/** Undefined while the last, empty chunk is missing. */
function parseChunks(bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer>[] | undefined {
  const chunks: Buffer<ArrayBuffer>[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    if (Number.isNaN(size)) throw new Error('broken chunk size');
    if (bytes.length < lineEnd + 2 + size + 2) return undefined;
    if (size === 0) return chunks;
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
