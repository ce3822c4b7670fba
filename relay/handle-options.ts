import { API_NAMES, type ApiName, DEFAULT_PORTS, type PathReach } from '#core/http';

/**
 * Which requests of a site tabd answers. All others reach the site's own server unchanged.
 *
 * @example
 * ```ts
 * import type { HandleOptions } from 'tabd/sw';
 *
 * export const options: HandleOptions = { apis: ['local-models'], prefix: '/ai' };
 * ```
 */
export interface HandleOptions {
  /** The enabled APIs. With none, tabd answers no request. */
  apis: readonly ApiName[];
  /** The path that precedes the paths of the APIs: with `/ai`, `/ai/api/chat` is answered. Default: none. */
  prefix?: string;
  /** With `whole`, tabd also answers unknown paths below `/api` and `/v1`, by the 404 of their API. Default: `listed`. */
  reach?: PathReach;
  /**
   * Origins of local servers that tabd replaces for the clients in a page, such as `http://localhost:11434`. The port (11434,
   * 8188, 5678) determines the API. `true`: the default port of each enabled API, on `localhost` and `127.0.0.1`.
   */
  intercept?: true | readonly string[];
}

/** The API whose default port this origin has. Undefined for other origins. */
export function apiOfOrigin(origin: string): ApiName | undefined {
  const port = /^https?:\/\/[^/?#]+:(\d+)$/.exec(origin)?.[1];
  return API_NAMES.find((api) => String(DEFAULT_PORTS[api]) === port);
}

/** The API that answers requests to another origin. Undefined when tabd does not answer for that origin. */
export function interceptedApi(origin: string, { apis, intercept = [] }: HandleOptions): ApiName | undefined {
  const isIntercepted =
    intercept === true ? /^http:\/\/(localhost|127\.0\.0\.1):/.test(origin) : intercept.includes(origin);
  const api = isIntercepted ? apiOfOrigin(origin) : undefined;
  return api && apis.includes(api) ? api : undefined;
}

/** Reads the options from the query of the service worker's URL: `sw.js?apis=local-models,webhooks&prefix=/ai`. */
export function readHandleOptions(search: string): HandleOptions {
  const query = new URLSearchParams(search);
  const apiNames = (query.get('apis') ?? '').split(',');
  const intercept = query.getAll('intercept');
  return {
    apis: API_NAMES.filter((api) => apiNames.includes(api)),
    prefix: query.get('prefix') ?? '',
    reach: query.get('reach') === 'whole' ? 'whole' : 'listed',
    intercept: intercept[0] === 'usual' ? true : intercept,
  };
}

/** The URL of the service worker with `options` in its query, as `readHandleOptions` reads them. */
export function writeHandleOptions(
  url: URL,
  { apis, prefix = '', reach = 'listed', intercept = [] }: HandleOptions,
): URL {
  const workerUrl = new URL(url);
  workerUrl.searchParams.set('apis', apis.join(','));
  if (prefix) workerUrl.searchParams.set('prefix', prefix);
  if (reach !== 'listed') workerUrl.searchParams.set('reach', reach);
  for (const origin of intercept === true ? ['usual'] : intercept) {
    workerUrl.searchParams.append('intercept', origin);
  }
  return workerUrl;
}
