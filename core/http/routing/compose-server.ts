/** Several API modules as the one server that every transport talks to. */

import { TABD_VERSION } from '#core/base';
import type { Host } from '#core/host';
import { API_NAMES } from '../apis.ts';
import { textResponse, withHeaders } from '../responses/plain-response.ts';
import type { Api } from './api.ts';
import { LazyApi } from './lazy-api.ts';
import { apiOfRequest } from './path-owner.ts';
import { Router } from './router.ts';
import type { CallContext, Server } from './server.ts';

export function composeServer(host: Pick<Host, 'capabilities' | 'log'>, apis: (Api | LazyApi)[]): Server {
  const routers = new Map(apis.map((api) => [api.name, api instanceof LazyApi ? api : new Router(api)]));
  const closing = new AbortController();

  async function routerOf(request: Request, url: URL, context: CallContext): Promise<Router | undefined> {
    const owner =
      context.listener === 'origin'
        ? apiOfRequest(request.method, url.pathname, API_NAMES, '', 'whole')
        : context.listener;
    const found = owner && routers.get(owner);
    return found instanceof LazyApi ? await found.router() : found;
  }

  const signed = (response: Response) =>
    withHeaders(response, { 'x-tabd-served-by': host.capabilities.servedBy, 'x-tabd-version': TABD_VERSION });

  async function answer(request: Request, context: CallContext): Promise<Response> {
    const url = new URL(request.url);
    const router = await routerOf(request, url, context);
    if (!router) return textResponse('Not Found', 404, 'text/plain');
    // Made only for those who ask: signals that hang on a long-lived one are never quite forgotten in Node 20.
    return router.fetch(request, url, context, () => AbortSignal.any([request.signal, closing.signal]));
  }

  function failed(request: Request, error: unknown): Response {
    host.log.error('a request failed outside of its API', { url: request.url, error: String(error) });
    return signed(textResponse('{"error":"internal error"}', 500, 'application/json'));
  }

  return {
    async fetch(request, context) {
      try {
        return signed(await answer(request, context));
      } catch (error) {
        return failed(request, error);
      }
    },
    async connect(request, context) {
      const url = new URL(request.url);
      let api: Api | undefined;
      try {
        api = (await routerOf(request, url, context))?.api;
      } catch (error) {
        return failed(request, error);
      }
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
