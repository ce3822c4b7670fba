/** A `Server` without models, for tests of transports: each request sets the length, delay and size of its answer. */
import { blobResponse } from '#core/frames/bodies/blob-response.ts';
import type { CallContext, Server, ServerSocket } from '#core/http/routing/server.ts';

export interface ServerEventEntry {
  what: string;
  at: number;
}

const encoder = new TextEncoder();
/** A GIF of one pixel. */
const PIXEL = Uint8Array.from(atob('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'), (char) =>
  char.charCodeAt(0),
);

/** A script: its name in answers, and the log of its work. */
interface Script {
  identity: string;
  log: ServerEventEntry[];
  note(what: string): void;
}

/** The query of a request, with a default for missing parameters. */
type Query = (name: string, otherwise?: string) => string;

type Handler = (
  script: Script,
  call: { request: Request; url: URL; query: Query; id: string; context: CallContext },
) => Response | Promise<Response>;

export function scriptedServer(identity: string): Server {
  const log: ServerEventEntry[] = [];
  const script: Script = { identity, log, note: (what) => void log.push({ what, at: Date.now() }) };
  return {
    async fetch(request, context) {
      const url = new URL(request.url);
      const query: Query = (name, otherwise = '') => url.searchParams.get(name) ?? otherwise;
      if (url.pathname.startsWith('/api/blobs/')) return upload(request);
      const handler = HANDLERS[url.pathname];
      if (!handler) return Response.json({ error: 'nothing here', path: url.pathname }, { status: 404 });
      return handler(script, { request, url, query, id: query('id', 'request'), context });
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
          socket.onClose((code) => script.note(`socket closed ${code}`));
        },
      };
    },
    async close() {},
  };
}

const HANDLERS: Record<string, Handler> = {
  '/api/version': ({ identity }) => Response.json({ version: '0.0.0', server: identity }),
  '/api/ps': ({ identity, log }) => Response.json({ server: identity, log }),
  '/api/generate': (script, { request, query, id }) =>
    lines(script, id, Number(query('lines', '3')), Number(query('interval', '0')), request.signal),
  '/api/chat': chat,
  '/api/copy': (_script, { query }) => {
    // Blocks the worker, which then does not react.
    const until = Date.now() + Number(query('ms'));
    while (Date.now() < until);
    return Response.json({});
  },
  '/api/show': show,
  '/api/pull': () => {
    const pulling = { status: 'pulling a', digest: 'a', total: 10, completed: 4 };
    return new Response(`${JSON.stringify(pulling)}\n{"status":"success"}\n`);
  },
  '/api/delete': () => new Response(null, { status: 204, headers: { 'x-gone': 'yes' } }),
  '/webhook/redirect': () =>
    new Response('moved', { status: 302, headers: { location: '/webhook/target?x=1' } }),
  '/webhook/target': (_script, { url }) => Response.json({ target: url.search }),
  '/webhook/echo': echo,
  '/webhook/events': () =>
    new Response('data: one\n\nevent: named\ndata: two\n\n', {
      headers: { 'content-type': 'text/event-stream' },
    }),
  '/view': view,
};

/** Resolves after `ms` milliseconds. Rejects when the signal aborts. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** Prints `count` NDJSON lines, one every `interval` ms, then a line with `done:true`. */
function lines(
  { identity, note }: Script,
  id: string,
  count: number,
  interval: number,
  signal: AbortSignal,
): Response {
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

/** Sends a head after `delay` ms, then lines without end. */
async function chat(...[script, { request, query, id }]: Parameters<Handler>): Promise<Response> {
  script.note(`${id} begun`);
  try {
    await wait(Number(query('delay')), request.signal);
  } catch {
    script.note(`${id} aborted`);
    return Response.json({ error: 'aborted' }, { status: 499 });
  }
  return lines(script, id, Number(query('lines', '1000000')), 50, request.signal);
}

/** Returns the request as the server received it. */
async function show(...[, { request, context }]: Parameters<Handler>): Promise<Response> {
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

/** Returns the body and its type, with a length. */
async function echo(...[script, { request }]: Parameters<Handler>): Promise<Response> {
  const text = await request.text();
  script.note(`echo ${text}`);
  const type = request.headers.get('content-type')?.split(';')[0];
  const body = JSON.stringify({ method: request.method, type, text });
  const headers = { 'content-type': 'application/json', 'content-length': `${body.length}` };
  return new Response(body, { headers });
}

/** Returns an image, a blob of `size` bytes, or a stream of `size` bytes in chunks of `piece`. */
function view(...[script, { query }]: Parameters<Handler>): Response {
  if (query('pixel')) {
    const headers = { 'content-type': 'image/gif', 'content-length': `${PIXEL.length}` };
    return new Response(PIXEL, { headers });
  }
  return query('blob')
    ? blobResponse(new Blob([new Uint8Array(Number(query('size')))]))
    : download(script, Number(query('size')), Number(query('piece', String(256 * 1024))));
}

function download({ note }: Script, size: number, piece: number): Response {
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (sent >= size) return controller.close();
        const bytes = new Uint8Array(Math.min(piece, size - sent)).fill(sent % 251);
        sent += bytes.length;
        controller.enqueue(bytes);
      },
      cancel: () => note('download cancelled'),
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, { headers: { 'content-type': 'application/octet-stream' } });
}

async function upload(request: Request): Promise<Response> {
  let bytes = 0;
  if (request.body) {
    for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) bytes += chunk.length;
  }
  return Response.json({ bytes });
}
