/** Keeps pages of other sites away from the control API, even if they have a key. */
import { type CallContext, emptyResponse, isCrossSite } from '#core/http';
import { controlProblem } from '../errors.ts';
import { KEY_HEADER } from './authorize.ts';

/**
 * Whether a path belongs to the control API. This is also true for paths with escapes, which the table of routes does
 * not match.
 */
export function isControlPath({ pathname }: URL): boolean {
  return /^(\/|%2f)+api(\/|%2f)+v1(\/|%2f|$)/i.test(pathname.replace(/%(?!2f)[0-9a-f]{2}/gi, unescaped));
}

function unescaped(code: string): string {
  return String.fromCharCode(Number.parseInt(code.slice(1), 16));
}

/**
 * Refuses requests from other origins. On a loopback address it also refuses foreign host names: a site can point its
 * name to this computer. Requests from pages of a tab are not checked: other sites cannot add a key to them.
 * @returns a refusal, the response to a preflight request, headers for the response, or undefined
 */
export function filterOrigin(
  request: Request,
  url: URL,
  context: CallContext,
): Response | HeadersInit | undefined {
  if (context.caller !== undefined) return undefined;
  const host = request.headers.get('host') ?? url.host;
  if (context.loopback && !isLocalName(host)) {
    return controlProblem(
      403,
      `Workflows are managed at localhost, not as "${host}". To manage them from other computers start tabd with --listen.`,
    );
  }
  const origin = request.headers.get('origin');
  if (origin === null && isCrossSite(request)) {
    return controlProblem(403, 'Pages of other sites may not manage workflows here');
  }
  if (origin === null || origin === `http://${host}` || origin === `https://${host}`) return undefined;
  if (!context.appOrigins.includes(origin)) {
    return controlProblem(403, `Pages of ${origin} may not manage workflows here`);
  }
  const cors = {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'x-tabd-served-by, x-tabd-version',
    vary: 'Origin',
  };
  if (request.method !== 'OPTIONS') return cors;
  return emptyResponse(204, {
    ...cors,
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers': `content-type, ${KEY_HEADER}`,
    'access-control-max-age': '600',
  });
}

function isLocalName(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return /^(localhost|[\w.-]+\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(name);
}
