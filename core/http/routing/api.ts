/** The form of an API module: `composeServer` puts several of them into one server. */
import type { ApiName } from '../apis.ts';
import type { CallContext, WebSocketSession } from './server.ts';

/** One request, as a route's handler receives it. */
export interface RouteCall {
  request: Request;
  url: URL;
  /** The decoded values of the `:name` and `*name` parts of the route's path. */
  params: Record<string, string>;
  context: CallContext;
  /** The route that matched. */
  route: Route;
  /** Aborts when the client disconnects or the server closes. */
  signal: AbortSignal;
}

/** A row of a route table. */
export interface Route {
  /** `GET`, `POST`, …; `*` for every method. */
  method: string;
  /** `/api/show`, `/v1/models/:model` (one segment), `/webhook/*path` (the rest, which is not empty). Case-sensitive. */
  path: string;
  handle(call: RouteCall): Response | Promise<Response>;
}

/** The routes of one API, and its own rules for paths and errors. */
export interface Api {
  readonly name: ApiName;
  readonly routes: Route[];
  /** Whether a HEAD request without a HEAD route is answered by the GET route. */
  readonly headByGet: boolean;
  /** Whether unknown paths are redirected: with or without a trailing slash, and with `//` collapsed. */
  readonly redirects: boolean;
  /**
   * Checks every request of this API before routing (`Host`, `Origin`, preflight). A response refuses the request; headers
   * are added to its response.
   * @param allowed the methods of the routes with this path; empty for an unknown path
   */
  filter?(
    request: Request,
    url: URL,
    context: CallContext,
    allowed: string[],
  ): Response | HeadersInit | undefined;
  /**
   * Answers paths that no table of routes can list, before `filter` and the routes. Undefined: the path is not one of
   * these.
   */
  handle?(call: Omit<RouteCall, 'params' | 'route'>): Promise<Response> | undefined;
  notFound(request: Request, url: URL): Response;
  methodNotAllowed(request: Request, url: URL, allowed: string[]): Response;
  /** Prints an error that a handler threw, in the dialect of the path. */
  failure(error: unknown, request: Request, url: URL): Response;
  /** Answers a WebSocket upgrade on a path of this API. Without it, upgrades are answered as plain requests. */
  connect?(request: Request, url: URL, context: CallContext): Promise<WebSocketSession | Response>;
  /** Frees everything that the API holds. Called once. */
  close?(): Promise<void>;
}
