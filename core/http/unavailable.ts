import type { ApiName } from './paths.ts';

/** 503 in the words of the API that the path belongs to: whoever should answer cannot be reached. */
export function unavailable(
  api: ApiName,
  pathname: string,
  message: string,
  options: {
    /** Seconds. */
    retryAfter: number;
    /** Who says so, for `x-tabd-served-by`. */
    servedBy: 'tab' | 'node';
  },
): Response {
  return Response.json(body(api, pathname, message), {
    status: 503,
    headers: {
      'retry-after': String(options.retryAfter),
      'cache-control': 'no-store',
      'x-tabd-served-by': options.servedBy,
    },
  });
}

function body(api: ApiName, pathname: string, message: string): object {
  if (api === 'webhooks') return { code: 503, message };
  if (api === 'image-workflows') {
    return { error: { type: 'server_unavailable', message, details: '', extra_info: {} }, node_errors: {} };
  }
  if (/\/v1\/messages/.test(pathname)) return { type: 'error', error: { type: 'overloaded_error', message } };
  if (/\/v1(\/|$)/.test(pathname)) {
    return { error: { message, type: 'server_error', param: null, code: 'server_unavailable' } };
  }
  return { error: message };
}
