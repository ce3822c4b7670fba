import { API_NAMES, type ApiName, DEFAULT_PORTS, type PathReach } from '#core/http';

/** What of a site tabd answers. Everything else reaches the site's own server untouched. */
export interface HandleOptions {
  /** The APIs that are switched on; none means that nothing is answered. */
  apis: readonly ApiName[];
  /** Path below which they live: `/ai` makes it `/ai/api/chat`. Default: none. */
  prefix?: string;
  /** `whole`: also unknown paths below `/api` and `/v1` are answered (with the 404 of their API). Default `listed`. */
  reach?: PathReach;
  /**
   * Origins of local servers that tabd answers for as well, whole: `http://localhost:11434`, for clients in a page that
   * are set to that address. The number of the port (11434, 8188, 5678) tells the API. `true`: the usual addresses of
   * every API that is switched on, at `localhost` and `127.0.0.1`.
   */
  intercept?: true | readonly string[];
}

/** The API that has its home at this origin, by the number of its port; undefined for everything else. */
export function apiOfOrigin(origin: string): ApiName | undefined {
  const port = /^https?:\/\/[^/?#]+:(\d+)$/.exec(origin)?.[1];
  return API_NAMES.find((api) => String(DEFAULT_PORTS[api]) === port);
}

/** Whether requests to this other origin are tabd's, and which API's. */
export function interceptedApi(origin: string, { apis, intercept = [] }: HandleOptions): ApiName | undefined {
  const meant =
    intercept === true ? /^http:\/\/(localhost|127\.0\.0\.1):/.test(origin) : intercept.includes(origin);
  const api = meant ? apiOfOrigin(origin) : undefined;
  return api && apis.includes(api) ? api : undefined;
}

/** The options that a page wrote into the address of the service worker: `sw.js?apis=local-models,webhooks&prefix=/ai`. */
export function readHandleOptions(search: string): HandleOptions {
  const query = new URLSearchParams(search);
  const named = (query.get('apis') ?? '').split(',');
  const intercept = query.getAll('intercept');
  return {
    apis: API_NAMES.filter((api) => named.includes(api)),
    prefix: query.get('prefix') ?? '',
    reach: query.get('reach') === 'whole' ? 'whole' : 'listed',
    intercept: intercept[0] === 'usual' ? true : intercept,
  };
}

/** The address of the service worker that holds `options`. */
export function writeHandleOptions(
  url: URL,
  { apis, prefix = '', reach = 'listed', intercept = [] }: HandleOptions,
): URL {
  const address = new URL(url);
  address.searchParams.set('apis', apis.join(','));
  if (prefix) address.searchParams.set('prefix', prefix);
  if (reach !== 'listed') address.searchParams.set('reach', reach);
  for (const origin of intercept === true ? ['usual'] : intercept) {
    address.searchParams.append('intercept', origin);
  }
  return address;
}
