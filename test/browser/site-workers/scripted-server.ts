/** A `Server` without models, for tests of transports: each request sets the length, delay and size of its answer. */
import { blobResponse } from '#core/frames/bodies/blob-response.ts';
import type { Server, ServerSocket } from '#core/http/routing/server.ts';

export interface LogEntry {
  what: string;
  at: number;
}

const encoder = new TextEncoder();
/** A GIF of one pixel. */
const PIXEL = Uint8Array.from(atob('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'), (char) =>
  char.charCodeAt(0),
);

export function scriptedServer(identity: string): Server {
  const log: LogEntry[] = [];
  const note = (what: string) => log.push({ what, at: Date.now() });
  const wait = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    });

  /** Prints `lines` NDJSON lines, one every `interval` ms, then a line with `done:true`. */
  function lines(id: string, count: number, interval: number, signal: AbortSignal): Response {
    let n = 0;
    note(`${id} begun`);
    signal.addEventListener('abort', () => note(`${id} aborted`));
    const stream = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          if (n > 0 && interval > 0) await wait(interval, signal).catch(() => {});
          if (signal.aborted) return;
          n += 1;
          controller.enqueue(encoder.encode(`${JSON.stringify({ n, server: identity, done: n > count })}\n`));
          if (n > count) {
            note(`${id} ended`);
            controller.close();
          }
        },
        cancel() {
          note(`${id} cancelled`);
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(stream, { headers: { 'content-type': 'application/x-ndjson' } });
  }

  function download(size: number, piece: number): Response {
    let sent = 0;
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (sent >= size) return controller.close();
          const bytes = new Uint8Array(Math.min(piece, size - sent)).fill(sent % 251);
          sent += bytes.length;
          controller.enqueue(bytes);
        },
        cancel: () => void note('download cancelled'),
      },
      { highWaterMark: 0 },
    );
    return new Response(stream, { headers: { 'content-type': 'application/octet-stream' } });
  }

  async function upload(request: Request): Promise<Response> {
    let bytes = 0;
    let sum = 0;
    if (request.body) {
      for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
        bytes += chunk.length;
        sum = (sum + chunk[0]! + chunk[chunk.length - 1]!) % 65536;
      }
    }
    return Response.json({ bytes });
  }

  return {
    async fetch(request, context) {
      const url = new URL(request.url);
      const query = (name: string, otherwise = '') => url.searchParams.get(name) ?? otherwise;
      const id = query('id', 'request');
      switch (url.pathname) {
        case '/api/version':
          return Response.json({ version: '0.0.0', server: identity });
        case '/api/ps':
          return Response.json({ server: identity, log });
        case '/api/generate':
          return lines(id, Number(query('lines', '3')), Number(query('interval', '0')), request.signal);
        case '/api/chat':
          note(`${id} begun`);
          try {
            await wait(Number(query('delay')), request.signal);
          } catch {
            note(`${id} aborted`);
            return Response.json({ error: 'aborted' }, { status: 499 });
          }
          return lines(id, Number(query('lines', '1000000')), 50, request.signal);
        case '/api/copy': {
          // Blocks the worker, which then does not react.
          const until = Date.now() + Number(query('ms'));
          while (Date.now() < until);
          return Response.json({});
        }
        case '/api/show': {
          const text = await request.text();
          if (text === '{"model":"absent"}') return Response.json({ error: 'not found' }, { status: 404 });
          return Response.json({
            method: request.method,
            url: request.url,
            headers: Object.fromEntries(request.headers),
            text,
            context,
          });
        }
        case '/api/pull': {
          const pulling = { status: 'pulling a', digest: 'a', total: 10, completed: 4 };
          return new Response(`${JSON.stringify(pulling)}\n{"status":"success"}\n`);
        }
        case '/api/delete':
          return new Response(null, { status: 204, headers: { 'x-gone': 'yes' } });
        case '/webhook/redirect':
          return new Response('moved', { status: 302, headers: { location: '/webhook/target?x=1' } });
        case '/webhook/target':
          return Response.json({ target: url.search });
        case '/webhook/echo': {
          const text = await request.text();
          note(`echo ${text}`);
          const type = request.headers.get('content-type')?.split(';')[0];
          const body = JSON.stringify({ method: request.method, type, text });
          const headers = { 'content-type': 'application/json', 'content-length': `${body.length}` };
          return new Response(body, { headers });
        }
        case '/webhook/events':
          return new Response('data: one\n\nevent: named\ndata: two\n\n', {
            headers: { 'content-type': 'text/event-stream' },
          });
        case '/view':
          if (query('pixel')) {
            const headers = { 'content-type': 'image/gif', 'content-length': `${PIXEL.length}` };
            return new Response(PIXEL, { headers });
          }
          return query('blob')
            ? blobResponse(new Blob([new Uint8Array(Number(query('size')))]))
            : download(Number(query('size')), Number(query('piece', String(256 * 1024))));
        default:
          if (url.pathname.startsWith('/api/blobs/')) return upload(request);
          return Response.json({ error: 'nothing here', path: url.pathname }, { status: 404 });
      }
    },
    async connect(request) {
      const url = new URL(request.url);
      if (url.pathname !== '/ws') return new Response('no socket here', { status: 404 });
      return {
        start(socket: ServerSocket) {
          socket.send(JSON.stringify({ hello: url.searchParams.get('clientId'), server: identity }));
          socket.onMessage((data) => {
            if (data === 'close') socket.close(4001, 'as asked');
            else socket.send(data);
          });
          socket.onClose((code) => note(`socket closed ${code}`));
        },
      };
    },
    async close() {},
  };
}
