/** The one shape of an API module: what `createServer` composes and the router asks. */

import type { ApiName } from '../apis.ts';
import type { CallContext, WebSocketSession } from './server.ts';

export interface RouteCall {
  request: Request;
  url: URL;
  /** Values of `:name` and `*name` parts of the route's path, decoded. */
  params: Record<string, string>;
  context: CallContext;
  /** The route that matched. */
  route: Route;
  /** Aborts when the client has left or the server closes. */
  signal: AbortSignal;
}

export interface Route {
  /** `GET`, `POST` …; `*` = every method. */
  method: string;
  /** `/api/show`, `/v1/models/:model` (one segment), `/webhook/*path` (the rest, not empty). Case-sensitive. */
  path: string;
  handle(call: RouteCall): Response | Promise<Response>;
}

export interface Api {
  readonly name: ApiName;
  readonly routes: Route[];
  /** HEAD is answered by the GET route where there is no HEAD route. */
  readonly headByGet: boolean;
  /** An unknown path with a trailing slash too many or missing is redirected, and `//` is collapsed. */
  readonly redirects: boolean;
  /**
   * Sees every request of this API before routing: refuses it with a response (Host, Origin, preflight), or gives
   * headers to add to whatever is answered. `allowed`: methods of the routes with this path, empty for an unknown one.
   */
  filter?(
    request: Request,
    url: URL,
    context: CallContext,
    allowed: string[],
  ): Response | HeadersInit | undefined;
  /** Answers addresses that no table of routes can name, before filter and routes are asked; undefined = none of those. */
  handle?(call: Omit<RouteCall, 'params' | 'route'>): Promise<Response> | undefined;
  notFound(request: Request, url: URL): Response;
  methodNotAllowed(request: Request, url: URL, allowed: string[]): Response;
  /** Prints an error that a handler threw, in the dialect of the path. */
  failure(error: unknown, request: Request, url: URL): Response;
  /** A WebSocket upgrade on one of this API's paths. Without it upgrades are answered as plain requests. */
  connect?(request: Request, url: URL, context: CallContext): Promise<WebSocketSession | Response>;
  close?(): Promise<void>;
}
