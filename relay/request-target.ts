import { type ApiName, apiOfRequest, type Listener } from '#core/http';
import { type HandleOptions, interceptedApi } from './handle-options.ts';

/** The API that answers a request, and how the request reached it. */
export interface RequestTarget {
  api: ApiName;
  /** The part of the path before the API's own path. */
  prefix: string;
  listener: Listener;
}

/** The target of a request from a page. Undefined when tabd does not answer it. */
export function requestTarget(
  method: string,
  url: URL,
  pageOrigin: string,
  options: HandleOptions,
): RequestTarget | undefined {
  const { apis, prefix = '', reach } = options;
  if (url.origin === pageOrigin) {
    const api = apiOfRequest(method, url.pathname, apis, prefix, reach);
    return api && { api, prefix, listener: 'origin' };
  }
  const api = interceptedApi(url.origin, options);
  return api && { api, prefix: '', listener: api };
}
