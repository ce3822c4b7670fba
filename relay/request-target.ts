import { type ApiName, apiOfRequest, type Listener } from '#core/http';
import { type HandleOptions, interceptedApi } from './handle-options.ts';

/** Where a request that is tabd's goes. */
export interface RequestTarget {
  api: ApiName;
  /** What stands before the API's own path. */
  prefix: string;
  listener: Listener;
}

/** The target of a request from a page of the origin `here`, or undefined when it is none of tabd's. */
export function requestTarget(
  method: string,
  url: URL,
  here: string,
  options: HandleOptions,
): RequestTarget | undefined {
  const { apis, prefix = '', reach } = options;
  if (url.origin === here) {
    const api = apiOfRequest(method, url.pathname, apis, prefix, reach);
    return api && { api, prefix, listener: 'origin' };
  }
  const api = interceptedApi(url.origin, options);
  return api && { api, prefix: '', listener: api };
}
