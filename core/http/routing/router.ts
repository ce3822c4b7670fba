import { decodePercent } from '#core/base';
import { BytesResponse } from '../responses/bytes-response.ts';
import { withHeaders } from '../responses/plain-response.ts';
import type { Api, Route, RouteCall } from './api.ts';
import type { CallContext } from './server.ts';

interface CompiledRoute {
  route: Route;
  /** The segments of the route's path. */
  parts: string[];
}

interface Match {
  route: Route;
  params: Record<string, string>;
}

/** The parameters of a path that a route matches; undefined for one that it does not match. */
function matchPath({ parts }: CompiledRoute, segments: string[]): Record<string, string> | undefined {
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

const isLiteral = (part: string | undefined): part is string => part !== undefined && !/^[:*]/.test(part);

/** Whether a route may match paths that begin with these segments. Those after them are not compared. */
function canMatch({ parts }: CompiledRoute, first: string, second: string | undefined): boolean {
  const [, ownFirst, ownSecond] = parts;
  if (ownFirst?.startsWith('*')) return true;
  return (!isLiteral(ownFirst) || ownFirst === first) && (!isLiteral(ownSecond) || ownSecond === second);
}

/** The entities of Go's `html.EscapeString`. */
const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

const htmlEscape = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

const isRead = ({ method }: Request) => method === 'GET' || method === 'HEAD';

/** A redirect with the body that Go writes. */
function redirect(request: Request, url: URL, path: string, status: 301 | 307): Response {
  const location = encodeURI(path) + url.search;
  const text = status === 301 ? 'Moved Permanently' : 'Temporary Redirect';
  return new Response(isRead(request) ? `<a href="${htmlEscape(location)}">${text}</a>.\n\n` : null, {
    status,
    headers: { location, ...(isRead(request) ? { 'content-type': 'text/html; charset=utf-8' } : {}) },
  });
}

/** The response to HEAD: that of GET without its body. */
function withoutBody(response: Response): Response {
  if (!(response instanceof BytesResponse)) response.body?.cancel().catch(() => {});
  return new Response(null, { status: response.status, headers: response.headers });
}

/** A request on its way to a handler. Its signal is created when a handler first reads it. */
class ServedCall implements Omit<RouteCall, 'route'> {
  route: Route | undefined;
  params: Record<string, string> = {};
  #signal: AbortSignal | undefined;

  constructor(
    readonly request: Request,
    readonly url: URL,
    readonly context: CallContext,
    private readonly createSignal: () => AbortSignal,
  ) {}

  get signal(): AbortSignal {
    this.#signal ??= this.createSignal();
    return this.#signal;
  }

  matched({ route, params }: Match): RouteCall {
    this.params = params;
    return Object.assign(this, { route });
  }
}

/** Finds the routes of requests in one API's table, and answers 404, 405, HEAD and redirects as that API does. */
export class Router {
  readonly #routes: CompiledRoute[];
  /** The routes that can match a path with these first two segments. */
  readonly #candidates = new Map<string, CompiledRoute[]>();
  constructor(readonly api: Api) {
    this.#routes = api.routes.map((route) => ({ route, parts: route.path.split('/') }));
    for (const { parts } of this.#routes) {
      const [, first, second] = parts;
      if (isLiteral(first) && (second === undefined || isLiteral(second)))
        this.#candidates.set(
          `${first}/${second}`,
          this.#routes.filter((other) => canMatch(other, first, second)),
        );
    }
  }

  /**
   * Answers a request. Never rejects: `Api.failure` prints what a handler throws.
   * @param createSignal called when a handler first reads `RouteCall.signal`
   */
  async fetch(
    request: Request,
    url: URL,
    context: CallContext,
    createSignal: () => AbortSignal,
  ): Promise<Response> {
    let extraHeaders: HeadersInit = {};
    let response: Response;
    try {
      response = await this.#answer(request, url, context, createSignal, (headers) => {
        extraHeaders = headers;
      });
    } catch (error) {
      response = this.api.failure(error, request, url);
    }
    if (request.method === 'HEAD') response = withoutBody(response);
    return withHeaders(response, extraHeaders);
  }

  async #answer(
    request: Request,
    url: URL,
    context: CallContext,
    createSignal: () => AbortSignal,
    addHeaders: (headers: HeadersInit) => void,
  ): Promise<Response> {
    const call = new ServedCall(request, url, context, createSignal);
    const handled = this.api.handle?.(call);
    if (handled) return await handled;

    // Decoded before it is split, so that `%2F` separates segments as in Ollama and ComfyUI.
    const path = decodePercent(url.pathname);
    const matches = this.#matches(path);
    const allowed = [...new Set(matches.map(({ route }) => route.method))];
    const filtered = this.api.filter?.(request, url, context, allowed);
    if (filtered instanceof Response) return filtered;
    if (filtered) addHeaders(filtered);

    if (path.includes('//') || matches.length === 0) {
      const redirection = this.#redirection(request, url, path);
      if (redirection) return redirection;
    }
    const matchFor = (method: string) =>
      matches.find(({ route }) => route.method === method || route.method === '*');
    const match =
      matchFor(request.method) ??
      (request.method === 'HEAD' && this.api.headByGet ? matchFor('GET') : undefined);
    if (match) return await match.route.handle(call.matched(match));
    return matches.length > 0
      ? this.api.methodNotAllowed(request, url, allowed)
      : this.api.notFound(request, url);
  }

  /** The routes whose path matches, of all methods. */
  #matches(path: string): Match[] {
    const segments = path.split('/');
    const matches: Match[] = [];
    for (const compiled of this.#candidates.get(`${segments[1]}/${segments[2]}`) ?? this.#routes) {
      const params = matchPath(compiled, segments);
      if (params) matches.push({ route: compiled.route, params });
    }
    return matches;
  }

  /**
   * The redirect to the canonical form of the path, as Go's router has it. It has no repeated slashes, and it ends with
   * a slash only if the route does.
   */
  #redirection(request: Request, url: URL, path: string): Response | undefined {
    if (!this.api.redirects) return undefined;
    if (path.includes('//')) return redirect(request, url, path.replace(/\/{2,}/g, '/'), 307);
    if (path === '/') return undefined;
    const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
    const exists = this.#matches(other).some(({ route }) => route.method === request.method);
    if (!exists) return undefined;
    return redirect(request, url, other, isRead(request) ? 301 : 307);
  }
}
