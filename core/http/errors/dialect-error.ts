/**
 * Errors that arise before a request reaches its API, in the form that this API prints. Kept small and without imports of
 * code, because the service worker carries it. Errors of the APIs themselves are printed by their own `errors.ts`.
 */
import type { ApiName } from '../apis.ts';

/** Which of the three documented forms a path of the local models' API answers in. */
export type LocalModelsDialect = 'ollama' | 'openai' | 'anthropic';
export type Dialect = LocalModelsDialect | 'comfyui' | 'n8n';

/** The dialect of a path of the local models' API. `pathname` carries no prefix of the site. */
export function localModelsDialect(pathname: string): LocalModelsDialect {
  if (/^\/v1\/messages(\/|$)/.test(pathname)) return 'anthropic';
  return /^\/v1(\/|$)/.test(pathname) ? 'openai' : 'ollama';
}

/** The dialect of a path of an API. `pathname` carries no prefix of the site. */
export function dialectOf(api: ApiName, pathname: string): Dialect {
  if (api === 'webhooks') return 'n8n';
  return api === 'image-workflows' ? 'comfyui' : localModelsDialect(pathname);
}

/**
 * Why a request never reached its API. 401: it carries no key, or a wrong one. 403: it has no right to ask. 429: its key
 * asks too often. 503: no server can be reached.
 */
export type TransportStatus = 401 | 403 | 429 | 503;

interface ErrorWords {
  comfyui: string;
  anthropic: string;
  openai: { type: string; code: string };
}

const WORDS: Record<TransportStatus, ErrorWords> = {
  401: {
    comfyui: 'unauthorized',
    anthropic: 'authentication_error',
    openai: { type: 'invalid_request_error', code: 'invalid_api_key' },
  },
  403: {
    comfyui: 'forbidden',
    anthropic: 'permission_error',
    openai: { type: 'invalid_request_error', code: 'forbidden' },
  },
  429: {
    comfyui: 'rate_limited',
    anthropic: 'rate_limit_error',
    openai: { type: 'requests', code: 'rate_limit_exceeded' },
  },
  503: {
    comfyui: 'server_unavailable',
    anthropic: 'overloaded_error',
    openai: { type: 'server_error', code: 'server_unavailable' },
  },
};

function errorBody(dialect: Dialect, status: TransportStatus, message: string): object {
  const words = WORDS[status];
  switch (dialect) {
    case 'n8n':
      return { code: status, message };
    case 'comfyui':
      return { error: { type: words.comfyui, message, details: '', extra_info: {} }, node_errors: {} };
    case 'anthropic':
      return { type: 'error', error: { type: words.anthropic, message } };
    case 'openai':
      return { error: { message, type: words.openai.type, param: null, code: words.openai.code } };
    case 'ollama':
      return { error: message };
  }
}

/** An error response in the dialect of the path. `pathname` carries no prefix of the site. */
export function dialectErrorResponse(
  api: ApiName,
  pathname: string,
  status: TransportStatus,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json(errorBody(dialectOf(api, pathname), status, message), { status, headers });
}

/**
 * 503 in the dialect of the path: the server that should answer cannot be reached.
 * @param retryAfter seconds after which the client may ask again
 * @param servedBy which side says so, for `x-tabd-served-by`
 */
export function unavailableResponse(
  api: ApiName,
  pathname: string,
  message: string,
  { retryAfter, servedBy }: { retryAfter: number; servedBy: 'tab' | 'node' },
): Response {
  return dialectErrorResponse(api, pathname, 503, message, {
    'retry-after': String(retryAfter),
    'cache-control': 'no-store',
    'x-tabd-served-by': servedBy,
  });
}

/** 401: the request carries no key, or a wrong one. 429: its key asks too often; `retryAfter` in seconds. */
export type AccessRefusal =
  | { status: 401; message: string }
  | { status: 429; message: string; retryAfter: number };

/** A refusal by the port's access control, in the dialect of the path. Any page may read it: it reveals nothing. */
export function accessRefusedResponse(api: ApiName, pathname: string, refusal: AccessRefusal): Response {
  return dialectErrorResponse(api, pathname, refusal.status, refusal.message, {
    'cache-control': 'no-store',
    'x-tabd-served-by': 'node',
    'access-control-allow-origin': '*',
    ...(refusal.status === 401
      ? { 'www-authenticate': 'Bearer realm="tabd"' }
      : { 'retry-after': String(refusal.retryAfter) }),
  });
}
