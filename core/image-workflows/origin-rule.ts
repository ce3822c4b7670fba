import { type CallContext, isLoopbackOrPrivate, withoutPort } from '#core/http';

/**
 * ComfyUI's rule against pages of other sites (comfyui.md section 1): on a loopback host the Origin must name the same
 * host, and the same port where both name one. Origins of the app itself are allowed, with CORS headers.
 *
 * @returns a refusal, headers to add to the answer, or nothing to add
 */
export function originRule(
  request: Request,
  url: URL,
  context: CallContext,
): Response | Record<string, string> | undefined {
  const origin = request.headers.get('origin');
  if (origin !== null && context.appOrigins.includes(origin)) {
    // In a tab it is the page's own, which needs no headers.
    return origin === url.origin ? undefined : corsHeaders(origin);
  }
  const host = request.headers.get('host') ?? url.host;
  const onPort = context.listener === 'image-workflows';
  if (onPort && context.loopback && !isLoopbackOrPrivate(withoutPort(host))) return refusal();
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

/** `localhost` or a loopback address, as a URL's hostname spells them. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
