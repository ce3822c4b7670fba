/** Who may come near the control API at all: pages of other sites may not, whatever key they have. */
import { type CallContext, emptyResponse } from '#core/http';
import { KEY_HEADER } from './authorise.ts';
import { controlProblem } from './problem.ts';

/** Also where a path is written with escapes, which routes do not see. */
export function isControlPath({ pathname }: URL): boolean {
  return /^(\/|%2f)+api(\/|%2f)+v1(\/|%2f|$)/i.test(pathname.replace(/%(?!2f)[0-9a-f]{2}/gi, unescaped));
}

function unescaped(code: string): string {
  return String.fromCharCode(Number.parseInt(code.slice(1), 16));
}

/**
 * Refuses other origins, and on a loopback socket names that are not this computer's (a name that a site has made to
 * point here); answers preflights; else gives headers to add. Not asked for requests out of the pages of a tab: what
 * other sites can cause there carries no key.
 */
export function filterControl(
  request: Request,
  url: URL,
  context: CallContext,
): Response | HeadersInit | undefined {
  if (context.caller !== undefined) return undefined;
  const host = request.headers.get('host') ?? url.host;
  if (context.loopback && !isHere(host)) {
    return controlProblem(
      403,
      `Workflows are managed at localhost, not as "${host}". To manage them from other computers start tabd with --listen.`,
    );
  }
  const origin = request.headers.get('origin');
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

function isHere(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return /^(localhost|[\w.-]+\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(name);
}
