import type { ApiName } from '../routing/path-owner.ts';

/** 401: no key, or a wrong one. 429: a key asks too often, or for too much at once. */
export type Refusal = { status: 401; message: string } | { status: 429; message: string; retryAfter: number };

/** A refusal in the words of the API that the path belongs to. Pages may read it: it tells nothing but itself. */
export function refused(api: ApiName, pathname: string, refusal: Refusal): Response {
  const headers = new Headers({
    'cache-control': 'no-store',
    'x-tabd-served-by': 'node',
    'access-control-allow-origin': '*',
  });
  if (refusal.status === 401) headers.set('www-authenticate', 'Bearer realm="tabd"');
  else headers.set('retry-after', String(refusal.retryAfter));
  return Response.json(body(api, pathname, refusal), { status: refusal.status, headers });
}

function body(api: ApiName, pathname: string, { status, message }: Refusal): object {
  const unknown = status === 401;
  if (api === 'webhooks') return { code: status, message };
  if (api === 'image-workflows') {
    const type = unknown ? 'unauthorized' : 'rate_limited';
    return { error: { type, message, details: '', extra_info: {} }, node_errors: {} };
  }
  if (/^\/v1\/messages(\/|$)/.test(pathname)) {
    const type = unknown ? 'authentication_error' : 'rate_limit_error';
    return { type: 'error', error: { type, message } };
  }
  if (/^\/v1(\/|$)/.test(pathname)) {
    const type = unknown ? 'invalid_request_error' : 'requests';
    const code = unknown ? 'invalid_api_key' : 'rate_limit_exceeded';
    return { error: { message, type, param: null, code } };
  }
  return { error: message };
}
