import { type ApiName, ownerOf } from '../core/http/paths.ts';
import type { Listener } from '../core/server-types.ts';
import type { HandleOptions } from './options.ts';

/** Where a request that is tabd's goes. */
export interface Target {
  api: ApiName;
  /** What stands before the API's own path. */
  prefix: string;
  listener: Listener;
}

const PORTS: Record<string, ApiName> = {
  '11434': 'local-models',
  '8188': 'image-workflows',
  '5678': 'webhooks',
};

/** The target of a request from a page of the origin `here`, or undefined when it is none of tabd's. */
export function targetOf(method: string, url: URL, here: string, options: HandleOptions): Target | undefined {
  const { apis, prefix = '', reach, intercept = [] } = options;
  if (url.origin === here) {
    const api = ownerOf(method, url.pathname, apis, prefix, reach);
    return api && { api, prefix, listener: 'origin' };
  }
  const api = intercept.includes(url.origin) ? PORTS[url.port] : undefined;
  return api && apis.includes(api) ? { api, prefix: '', listener: api } : undefined;
}
