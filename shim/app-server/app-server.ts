import type { IncomingMessage } from 'node:http';
import { serveStatic } from '@hono/node-server/serve-static';
import { type Context, Hono } from 'hono';
import { API_NAMES, apiOfRequest, isCrossSite } from '#core/http';
import { peerAddress } from '../ports/fetch-request.ts';
import { type ListenOptions, PortListener } from '../ports/listener.ts';
import { redirectTo } from '../ports/navigation.ts';
import { isLoopbackAddress, isLoopbackOnly } from '../ports/open-ports.ts';
import type { UpgradeResult } from '../ports/websocket.ts';
import { CONTENT_SECURITY_POLICY, cacheControl, isolationHeaders } from './response-headers.ts';
import { describeWeights, type InstalledWeights, sendWeights, WEIGHTS_PATH } from './weights.ts';

export interface AppServerOptions extends ListenOptions {
  /** Folder with the built app. Without it the server answers with a page that says how to build it. */
  folder: string | undefined;
  /** Models of this computer that the tab may download. */
  weights?: InstalledWeights;
  /**
   * Routes under `/tabd/` for the command line and the bridge. Undefined for any other path.
   * `fromThisComputer`: a program of this computer sent the request. Only its browsers can be trusted to
   * state the origin of a page.
   */
  extraRoutes?(request: Request, path: string, fromThisComputer: boolean): Promise<Response> | undefined;
  /** The numbers of the open ports by API, which the page shows. */
  ports?(): Record<string, number>;
  /** The certificate authority (PEM), which devices install to trust the server's certificate. */
  authority?: string;
  /** Answers `/metrics`. `headers`: of the request. */
  metrics?(headers: Headers): Promise<Response>;
  /** WebSocket upgrades. */
  connect?(request: Request, path: string): Promise<UpgradeResult> | undefined;
}

const PORTS_PATH = '/tabd/ports';
const AUTHORITY_PATH = '/tabd/authority.crt';
/** The path is not one of an API, and the page's service worker does not answer it. */
const METRICS_PATH = '/metrics';
const LOOPBACK_NAME = /^(localhost|127(\.\d+){3}|\[::1\]|[\w.-]+\.localhost)$/i;

/** Serves the app's one origin, `http://localhost:<port>`. Throws `PortTaken`. */
export async function openAppServer(options: AppServerOptions): Promise<PortListener> {
  const hono = new Hono<{ Bindings: { fromThisComputer: boolean } }>();
  const { weights, folder } = options;
  if (weights) {
    hono.get(WEIGHTS_PATH, (context) => describeWeights(weights, context.req.query('model') ?? ''));
    hono.get(`${WEIGHTS_PATH}/:file`, (context) =>
      sendWeights(weights, context.req.param('file'), context.req.raw),
    );
  }
  const { authority, metrics } = options;
  if (authority) {
    const type = { 'content-type': 'application/x-x509-ca-cert' };
    hono.get(AUTHORITY_PATH, (context) => context.body(authority, 200, type));
  }
  if (metrics) hono.get(METRICS_PATH, (context) => metrics(context.req.raw.headers));
  hono.get(PORTS_PATH, (context) => context.json(options.ports?.() ?? {}));
  hono.all('/tabd/*', async (context, next) => {
    const answer = options.extraRoutes?.(context.req.raw, context.req.path, context.env.fromThisComputer);
    return answer ? await answer : next();
  });
  hono.use(async (context, next) => {
    if (apiOfRequest(context.req.method, context.req.path, API_NAMES, '', 'whole'))
      return noTabResponse(listener.port);
    return next();
  });
  if (folder) {
    const files = serveStatic({ root: folder });
    hono.use(async (context, next) => {
      const file = await files(context, next);
      if (file instanceof Response) file.headers.set('cache-control', cacheControl(context.req.path));
      return file;
    });
  } else {
    hono.get('/', (context) => notBuiltPage(context));
  }
  hono.notFound((context) => context.text('404 page not found', 404));

  const listener: PortListener = await PortListener.open(
    {
      async fetch(request, incoming) {
        const refusal =
          refusedSite(request) ??
          refusedHost(request, incoming, listener.port, isLoopbackOnly(options.address)) ??
          (options.tls && redirectToHttps(request, incoming));
        return (
          refusal ??
          withHeaders(
            await hono.fetch(request, { fromThisComputer: isFromThisComputer(request, incoming) }),
            request,
          )
        );
      },
      async connect(request, incoming) {
        return (
          refusedSite(request) ??
          refusedHost(request, incoming, listener.port, isLoopbackOnly(options.address)) ??
          (await options.connect?.(request, new URL(request.url).pathname)) ??
          new Response('no WebSocket is answered here', { status: 404 })
        );
      },
    },
    options,
  );
  return listener;
}

/** A request that a proxy of this computer forwards may come from anywhere. */
function isFromThisComputer(request: Request, incoming: IncomingMessage): boolean {
  const isForwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some((name) =>
    request.headers.has(name),
  );
  return !isForwarded && isLoopbackAddress(peerAddress(incoming));
}

/** Refuses pages of other sites. Any site can have the origin `null` by a sandboxed frame. */
function refusedSite(request: Request): Response | undefined {
  if (request.headers.get('origin') !== 'null' && !isCrossSite(request)) return undefined;
  return new Response('pages of other sites may not use this server', { status: 403 });
}

/**
 * Refuses other host names on a loopback socket (DNS rebinding). Redirects loopback addresses to the app's
 * origin.
 */
function refusedHost(
  request: Request,
  incoming: IncomingMessage,
  port: number,
  loopback: boolean,
): Response | undefined {
  const host = request.headers.get('host') ?? '';
  const name = host.replace(/:\d+$/, '');
  if (loopback && !LOOPBACK_NAME.test(name)) {
    return new Response(`tabd is at http://localhost:${port}`, { status: 403 });
  }
  const visit = (incoming.headers['sec-fetch-mode'] ?? 'navigate') === 'navigate';
  const page = (incoming.headers.accept ?? '').includes('text/html');
  if (visit && page && /^(127\.|\[::1\])/.test(name)) {
    const { pathname, search } = new URL(request.url);
    return redirectTo(`http://localhost:${port}${pathname}${search}`);
  }
  return undefined;
}

/** On another computer a page without https has no service worker and no GPU. */
function redirectToHttps(request: Request, incoming: IncomingMessage): Response | undefined {
  const url = new URL(request.url);
  const page = (incoming.headers.accept ?? '').includes('text/html');
  if (url.protocol === 'https:' || !page || LOOPBACK_NAME.test(url.hostname)) return undefined;
  url.protocol = 'https:';
  return redirectTo(url.href);
}

function noTabResponse(port: number): Response {
  const error =
    `no open tab answers yet: requests to this address are answered inside the browser, by the page ` +
    `http://localhost:${port}/ once it is open there`;
  return Response.json(
    { error },
    { status: 503, headers: { 'retry-after': '2', 'cache-control': 'no-store' } },
  );
}

function notBuiltPage(context: Context): Response {
  return context.html(
    '<!doctype html><title>tabd</title><p>The page is not built. Run <code>npm run build</code> in the project, ' +
      'then start tabd again. The ports answer all the same.',
    503,
  );
}

function withHeaders(response: Response, request: Request): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(isolationHeaders(request))) headers.set(name, value);
  if (headers.get('content-type')?.startsWith('text/html')) {
    headers.set('content-security-policy', CONTENT_SECURITY_POLICY);
  }
  headers.set('x-content-type-options', 'nosniff');
  headers.set('referrer-policy', 'no-referrer');
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}
