import { timingSafeEqual } from 'node:crypto';
import type { CallContext, Server } from '#core/http';

/** Requests below this path reach the server of this computer, for the command line. */
export const NODE_PATH = '/tabd/node';
export const IMPORT_PATH = '/tabd/import';

/** Where the app asks for a key to the workflows on the ports. */
export const KEY_PATH = '/tabd/webhooks-key';

export interface ControlOptions {
  /** Shown by every caller as `Authorization: Bearer`. */
  token: string;
  server: Pick<Server, 'fetch'>;
  /** Who answers the port of the webhooks: a tab, perhaps. */
  webhooks(): Pick<Server, 'fetch'>;
  /** A key for the app's own page; undefined while there is none for it. */
  pageKey?: () => Promise<string> | undefined;
  /** Installs a file of this computer, telling its progress. */
  importFile(path: string, name: string | undefined, signal: AbortSignal): AsyncIterable<object>;
}

/** The way in for `tabd pull` and its like while this process holds the home. Undefined for paths of others. */
export function controlRoutes(options: ControlOptions) {
  return (request: Request, path: string, here: boolean): Promise<Response> | undefined => {
    if (path === KEY_PATH) return giveKey(request, here ? options.pageKey : undefined);
    const ours = path === IMPORT_PATH || path.startsWith(`${NODE_PATH}/`);
    if (!ours) return undefined;
    if (!authorized(request, options.token)) {
      return Promise.resolve(
        Response.json({ error: 'this path is for the tabd command line' }, { status: 401 }),
      );
    }
    return path === IMPORT_PATH ? importModel(options, request) : passOn(options, request, path);
  };
}

const base: CallContext = {
  listener: 'local-models',
  loopback: true,
  clientAddress: '127.0.0.1',
  appOrigins: [],
};

/** Who is asked for a path, and as what: the token has shown that the caller may read this home. */
export function asOperator(path: string): CallContext {
  return isControl(path) ? { ...base, listener: 'webhooks', caller: 'operator' } : base;
}

function isControl(path: string): boolean {
  return path.startsWith('/api/v1/');
}

function passOn(options: ControlOptions, request: Request, path: string): Promise<Response> {
  const url = new URL(request.url);
  url.pathname = path.slice(NODE_PATH.length);
  const server = isControl(url.pathname) ? options.webhooks() : options.server;
  return server.fetch(new Request(url, request), asOperator(url.pathname));
}

/** Only script of the app's own origin gets one: browsers say so, and let no page say it falsely. */
async function giveKey(request: Request, pageKey: ControlOptions['pageKey']): Promise<Response> {
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

function authorized(request: Request, token: string): boolean {
  const given = Buffer.from(request.headers.get('authorization') ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
