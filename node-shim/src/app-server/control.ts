import { timingSafeEqual } from 'node:crypto';
import type { CallContext, Server } from '../../../core/server-types.ts';

/** Requests below this path reach the server of this computer, for the command line. */
export const NODE_PATH = '/tabd/node';
export const IMPORT_PATH = '/tabd/import';

export interface ControlOptions {
  /** Shown by every caller as `Authorization: Bearer`. */
  token: string;
  server: Pick<Server, 'fetch'>;
  /** Installs a file of this computer, telling its progress. */
  importFile(path: string, name: string | undefined, signal: AbortSignal): AsyncIterable<object>;
}

/** The way in for `tabd pull` and its like while this process holds the home. Undefined for paths of others. */
export function controlRoutes(options: ControlOptions) {
  return (request: Request, path: string): Promise<Response> | undefined => {
    const ours = path === IMPORT_PATH || path.startsWith(`${NODE_PATH}/`);
    if (!ours) return undefined;
    if (!authorized(request, options.token)) {
      return Promise.resolve(
        Response.json({ error: 'this path is for the tabd command line' }, { status: 401 }),
      );
    }
    return path === IMPORT_PATH ? importModel(options, request) : passOn(options.server, request, path);
  };
}

const context: CallContext = {
  listener: 'local-models',
  loopback: true,
  clientAddress: '127.0.0.1',
  appOrigins: [],
};

function passOn(server: Pick<Server, 'fetch'>, request: Request, path: string): Promise<Response> {
  const url = new URL(request.url);
  url.pathname = path.slice(NODE_PATH.length);
  return server.fetch(new Request(url, request), context);
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
