import { TABD_VERSION } from '#core/base';
import type { Host } from '#core/host';
import { API_NAMES } from '../apis.ts';
import { textResponse, withHeaders } from '../responses/plain-response.ts';
import type { Api } from './api.ts';
import { LazyApi } from './lazy-api.ts';
import { apiOfRequest } from './path-owner.ts';
import { Router } from './router.ts';
import type { CallContext, Server } from './server.ts';
import { withOpenApi } from './with-openapi.ts';

/**
 * Several APIs as the one server that every transport talks to. `CallContext.listener` selects the API; on a shared origin
 * the path does. Every response gets the headers `x-tabd-served-by` and `x-tabd-version`.
 */
export function composeServer(host: Pick<Host, 'capabilities' | 'log'>, apis: (Api | LazyApi)[]): Server {
  const routers = new Map(
    apis.map((api) => [api.name, api instanceof LazyApi ? api : new Router(withOpenApi(api))]),
  );
  const closing = new AbortController();

  async function routerOf(request: Request, url: URL, context: CallContext): Promise<Router | undefined> {
    const api =
      context.listener === 'origin'
        ? apiOfRequest(request.method, url.pathname, API_NAMES, '', 'whole')
        : context.listener;
    const router = api && routers.get(api);
    return router instanceof LazyApi ? await router.router() : router;
  }

  const sign = (response: Response) =>
    withHeaders(response, {
      'x-tabd-served-by': host.capabilities.servedBy,
      'x-tabd-version': TABD_VERSION,
    });

  async function answer(request: Request, context: CallContext): Promise<Response> {
    const url = new URL(request.url);
    const router = await routerOf(request, url, context);
    if (!router) return textResponse('Not Found', 404, 'text/plain');
    // Created only for handlers that read it: Node 20 never quite frees signals that depend on a long-lived one.
    return router.fetch(request, url, context, () => AbortSignal.any([request.signal, closing.signal]));
  }

  function internalError(request: Request, error: unknown): Response {
    host.log.error('a request failed outside of its API', { url: request.url, error: String(error) });
    return sign(textResponse('{"error":"internal error"}', 500, 'application/json'));
  }

  return {
    async fetch(request, context) {
      try {
        return sign(await answer(request, context));
      } catch (error) {
        return internalError(request, error);
      }
    },
    async connect(request, context) {
      const url = new URL(request.url);
      let api: Api | undefined;
      try {
        api = (await routerOf(request, url, context))?.api;
      } catch (error) {
        return internalError(request, error);
      }
      if (!api?.connect) return this.fetch(request, context);
      try {
        const filtered = api.filter?.(request, url, context, ['GET']);
        if (filtered instanceof Response) return sign(filtered);
        const session = await api.connect(request, url, context);
        return session instanceof Response ? sign(session) : session;
      } catch (error) {
        return sign(api.failure(error, request, url));
      }
    },
    async close() {
      closing.abort(new DOMException('the server is closing', 'AbortError'));
      await Promise.all(apis.map((api) => api.close?.()));
    },
  };
}
