import { type CallContext, isCrossSite, isLoopbackOrPrivate, withoutPort } from '#core/http';

/**
 * ComfyUI's rule against pages of other sites. On a loopback host the Origin must name the same host, and the same port
 * when both name one. The app's own origins are allowed, with CORS headers. Unlike ComfyUI it also refuses the origin
 * `null`, which any site can have by a sandboxed frame, and requests that the browser marks as cross-site.
 *
 * @returns a refusal, or headers for the response. Undefined: allowed without further headers
 */
export function originRule(
  request: Request,
  url: URL,
  context: CallContext,
): Response | Record<string, string> | undefined {
  const origin = request.headers.get('origin');
  if (origin !== null && context.appOrigins.includes(origin)) {
    // In a tab this is the page's own origin, which needs no headers.
    return origin === url.origin ? undefined : corsHeaders(origin);
  }
  const host = request.headers.get('host') ?? url.host;
  const onPort = context.listener === 'image-workflows';
  if (onPort && context.loopback && !isLoopbackOrPrivate(withoutPort(host))) return refusal();
  if (origin === 'null' || isCrossSite(request)) return refusal();
  if (origin === null) return undefined;
  const own = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  if (own === undefined || !isLoopback(own.hostname) || !URL.canParse(origin)) return undefined;
  const other = new URL(origin);
  const samePort = own.port === '' || other.port === '' || own.port === other.port;
  if (own.hostname === other.hostname && samePort) return undefined;
  return refusal();
}

function refusal(): Response {
  return new Response(null, { status: 403, headers: { 'content-length': '0' } });
}

function corsHeaders(origin: string): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'POST, GET, DELETE, PUT, OPTIONS, PATCH',
    'access-control-allow-headers': 'Content-Type, Authorization',
    'access-control-allow-credentials': 'true',
    vary: 'Origin',
  };
}

/** Whether a URL's hostname is `localhost` or a loopback address. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
