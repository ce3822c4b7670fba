/** Several API modules as the one server that every transport talks to. */
import type { Host } from '../host/host.ts';
import type { CallContext, Server } from '../server-types.ts';
import { TABD_VERSION } from '../version.ts';
import type { Api } from './api.ts';
import { ownerOf } from './paths.ts';
import { textResponse, withHeaders } from './respond.ts';
import { Router } from './router.ts';

const API_NAMES = ['local-models', 'image-workflows', 'webhooks'] as const;

export function composeServer(host: Pick<Host, 'platform' | 'log'>, apis: Api[]): Server {
  const routers = new Map(apis.map((api) => [api.name, new Router(api)]));
  const closing = new AbortController();

  function routerOf(request: Request, url: URL, { listener }: CallContext): Router | undefined {
    if (listener !== 'origin') return routers.get(listener);
    const owner = ownerOf(request.method, url.pathname, API_NAMES, '', 'whole');
    return owner && routers.get(owner);
  }

  const signed = (response: Response) =>
    withHeaders(response, { 'x-tabd-served-by': host.platform, 'x-tabd-version': TABD_VERSION });

  async function answer(request: Request, context: CallContext): Promise<Response> {
    const url = new URL(request.url);
    const router = routerOf(request, url, context);
    if (!router) return textResponse('Not Found', 404, 'text/plain');
    // Made only for those who ask: signals that hang on a long-lived one are never quite forgotten in Node 20.
    return router.fetch(request, url, context, () => AbortSignal.any([request.signal, closing.signal]));
  }

  return {
    async fetch(request, context) {
      try {
        return signed(await answer(request, context));
      } catch (error) {
        host.log.error('a request failed outside of its API', { url: request.url, error: String(error) });
        return signed(textResponse('{"error":"internal error"}', 500, 'application/json'));
      }
    },
    async connect(request, context) {
      const url = new URL(request.url);
      const api = routerOf(request, url, context)?.api;
      if (!api?.connect) return this.fetch(request, context);
      try {
        const verdict = api.filter?.(request, url, context, ['GET']);
        if (verdict instanceof Response) return signed(verdict);
        const session = await api.connect(request, url, context);
        return session instanceof Response ? signed(session) : session;
      } catch (error) {
        return signed(api.failure(error, request, url));
      }
    },
    async close() {
      closing.abort(new DOMException('the server is closing', 'AbortError'));
      await Promise.all(apis.map((api) => api.close?.()));
    },
  };
}
