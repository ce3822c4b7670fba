import { timingSafeEqual } from 'node:crypto';
import type { CallContext, Server } from '#core/http';

/** The path below which the command line reaches the server of this computer. */
export const NODE_PATH = '/tabd/node';
export const IMPORT_PATH = '/tabd/import';

/** The path at which the app requests a key of the control API. */
export const KEY_PATH = '/tabd/webhooks-key';

export interface ControlOptions {
  /** Callers send it as `Authorization: Bearer`. */
  token: string;
  server: Pick<Server, 'fetch'>;
  /** The server that answers the webhooks port now: this process or a tab. */
  webhooks(): Pick<Server, 'fetch'>;
  /** A key of the control API for the app's own page. Undefined while the page gets none. */
  pageKey?: () => Promise<string> | undefined;
  /** Installs a file of this computer and yields its progress. */
  importFile(path: string, name: string | undefined, signal: AbortSignal): AsyncIterable<object>;
}

/** Routes for commands such as `tabd pull` while this process holds the home. Undefined for any other path. */
export function appControlRoutes(options: ControlOptions) {
  return (request: Request, path: string, fromThisComputer: boolean): Promise<Response> | undefined => {
    if (path === KEY_PATH) return keyResponse(request, fromThisComputer ? options.pageKey : undefined);
    const ours = path === IMPORT_PATH || path.startsWith(`${NODE_PATH}/`);
    if (!ours) return undefined;
    if (!authorized(request, options.token)) {
      return Promise.resolve(
        Response.json({ error: 'this path is for the tabd command line' }, { status: 401 }),
      );
    }
    return path === IMPORT_PATH ? importModel(options, request) : forwardToServer(options, request, path);
  };
}

const base: CallContext = {
  listener: 'local-models',
  loopback: true,
  clientAddress: '127.0.0.1',
  appOrigins: [],
};

/** The call context of a path. Its token has proven that the caller may read this home. */
export function asOperator(path: string): CallContext {
  return isControlApi(path) ? { ...base, listener: 'webhooks', caller: 'operator' } : base;
}

function isControlApi(path: string): boolean {
  return path.startsWith('/api/v1/');
}

function forwardToServer(options: ControlOptions, request: Request, path: string): Promise<Response> {
  const url = new URL(request.url);
  url.pathname = path.slice(NODE_PATH.length);
  const server = isControlApi(url.pathname) ? options.webhooks() : options.server;
  return server.fetch(new Request(url, request), asOperator(url.pathname));
}

/** Only script of the app's own origin gets a key. Browsers state the origin and let no page forge it. */
async function keyResponse(request: Request, pageKey: ControlOptions['pageKey']): Promise<Response> {
  const headers = { 'cache-control': 'no-store' };
  if (request.method !== 'POST' || request.headers.get('sec-fetch-site') !== 'same-origin') {
    return Response.json({ error: 'this is for the page of this tabd' }, { status: 403, headers });
  }
  const apiKey = pageKey?.();
  if (!apiKey) {
    const error = 'here the page gets no key: make one with tabd key create';
    return Response.json({ error }, { status: 404, headers });
  }
  return Response.json({ apiKey: await apiKey }, { headers });
}

async function importModel(options: ControlOptions, request: Request): Promise<Response> {
  const { path, name } = (await request.json()) as { path: string; name?: string };
  const progress = options.importFile(path, name, request.signal)[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await progress.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
      } catch (error) {
        controller.enqueue(encoder.encode(`${JSON.stringify({ error: (error as Error).message })}\n`));
        controller.close();
      }
    },
    async cancel() {
      await progress.return?.();
    },
  });
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } });
}

/** Whether a request has the token of the command line. */
export function authorized(request: Request, token: string): boolean {
  const received = Buffer.from(request.headers.get('authorization') ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  return received.length === expected.length && timingSafeEqual(received, expected);
}
