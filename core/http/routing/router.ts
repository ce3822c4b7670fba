/** Finds the route of a request in one API's table and answers 404, 405, HEAD and redirects as that API does. */

import { withHeaders } from '../responses/plain-response.ts';
import type { Api, Route } from './api.ts';
import type { CallContext } from './server.ts';

interface Compiled {
  route: Route;
  parts: string[];
}

/** undefined = does not match. */
function match({ parts }: Compiled, segments: string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [i, part] of parts.entries()) {
    if (part.startsWith('*')) {
      const rest = segments.slice(i).join('/');
      if (rest === '') return undefined;
      params[part.slice(1)] = rest;
      return params;
    }
    const segment = segments[i];
    if (segment === undefined) return undefined;
    if (!part.startsWith(':')) {
      if (part !== segment) return undefined;
    } else if (segment === '') return undefined;
    else params[part.slice(1)] = segment;
  }
  return parts.length === segments.length ? params : undefined;
}

/** The path as routes see it: percent-decoded first, so that `%2F` separates, as in the servers imitated here. */
function decodePath(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** As Go's `html.EscapeString` writes them. */
const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

const htmlEscape = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

function redirect(request: Request, url: URL, path: string, status: number, text: string): Response {
  const location = encodeURI(path) + url.search;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return new Response(isRead ? `<a href="${htmlEscape(location)}">${text}</a>.\n\n` : null, {
    status,
    headers: { location, ...(isRead ? { 'content-type': 'text/html; charset=utf-8' } : {}) },
  });
}

/** The body of an answer to HEAD is dropped, its headers stay. */
function withoutBody(response: Response): Response {
  response.body?.cancel().catch(() => {});
  return new Response(null, { status: response.status, headers: response.headers });
}

export class Router {
  #routes: Compiled[];
  constructor(readonly api: Api) {
    this.#routes = api.routes.map((route) => ({ route, parts: route.path.split('/') }));
  }

  #candidates(path: string) {
    const segments = path.split('/');
    return this.#routes.flatMap((compiled) => {
      const params = match(compiled, segments);
      return params ? [{ route: compiled.route, params }] : [];
    });
  }

  #redirection(request: Request, url: URL, path: string): Response | undefined {
    if (!this.api.redirects) return undefined;
    if (path.includes('//')) {
      const clean = path.replace(/\/{2,}/g, '/');
      return redirect(request, url, clean, 307, 'Temporary Redirect');
    }
    if (path === '/') return undefined;
    const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
    const found = this.#candidates(other).some(({ route }) => route.method === request.method);
    if (!found) return undefined;
    return request.method === 'GET' || request.method === 'HEAD'
      ? redirect(request, url, other, 301, 'Moved Permanently')
      : redirect(request, url, other, 307, 'Temporary Redirect');
  }

  async #answer(
    request: Request,
    url: URL,
    context: CallContext,
    signal: () => AbortSignal,
    add: (headers: HeadersInit) => void,
  ): Promise<Response> {
    let createdSignal: AbortSignal | undefined;
    const call = {
      request,
      url,
      context,
      get signal() {
        createdSignal ??= signal();
        return createdSignal;
      },
    };
    const handled = this.api.handle?.(call);
    if (handled) return await handled;

    const path = decodePath(url.pathname);
    const candidates = this.#candidates(path);
    const allowed = [...new Set(candidates.map(({ route }) => route.method))];
    const verdict = this.api.filter?.(request, url, context, allowed);
    if (verdict instanceof Response) return verdict;
    if (verdict) add(verdict);

    const redirected = this.#redirection(request, url, path);
    if (redirected && (path.includes('//') || candidates.length === 0)) return redirected;
    const routeFor = (method: string) =>
      candidates.find(({ route }) => route.method === method || route.method === '*');
    const found =
      routeFor(request.method) ??
      (request.method === 'HEAD' && this.api.headByGet ? routeFor('GET') : undefined);
    if (found) {
      return await found.route.handle(Object.assign(call, found));
    }
    if (candidates.length > 0) return this.api.methodNotAllowed(request, url, allowed);
    return this.api.notFound(request, url);
  }

  /** Never throws. */
  async fetch(
    request: Request,
    url: URL,
    context: CallContext,
    signal: () => AbortSignal,
  ): Promise<Response> {
    let extra: HeadersInit = {};
    let response: Response;
    try {
      response = await this.#answer(request, url, context, signal, (headers) => {
        extra = headers;
      });
    } catch (error) {
      response = this.api.failure(error, request, url);
    }
    if (request.method === 'HEAD') response = withoutBody(response);
    return withHeaders(response, extra);
  }
}
