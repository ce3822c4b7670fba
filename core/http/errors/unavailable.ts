import type { ApiName } from '../routing/path-owner.ts';

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
  const response = errorAnswer(api, pathname, 503, message);
  response.headers.set('retry-after', String(options.retryAfter));
  response.headers.set('cache-control', 'no-store');
  response.headers.set('x-tabd-served-by', options.servedBy);
  return response;
}

/** What carries requests refuses one itself, in the words of the API that the path belongs to. */
export function errorAnswer(api: ApiName, pathname: string, status: 403 | 503, message: string): Response {
  return Response.json(body(api, pathname, status, message), { status });
}

const KINDS = {
  403: {
    image: 'forbidden',
    messages: 'permission_error',
    openai: 'invalid_request_error',
    code: 'forbidden',
  },
  503: {
    image: 'server_unavailable',
    messages: 'overloaded_error',
    openai: 'server_error',
    code: 'server_unavailable',
  },
};

function body(api: ApiName, pathname: string, status: 403 | 503, message: string): object {
  const kind = KINDS[status];
  if (api === 'webhooks') return { code: status, message };
  if (api === 'image-workflows') {
    return { error: { type: kind.image, message, details: '', extra_info: {} }, node_errors: {} };
  }
  if (/\/v1\/messages/.test(pathname)) return { type: 'error', error: { type: kind.messages, message } };
  if (/\/v1(\/|$)/.test(pathname)) {
    return { error: { message, type: kind.openai, param: null, code: kind.code } };
  }
  return { error: message };
}
