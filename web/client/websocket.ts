import { apiOfRequest } from '#core/http';
import { type HandleOptions, interceptedApi } from '#relay';
import type { Tabd } from './types.ts';

/**
 * Replaces `WebSocket` in this page: addresses of this origin that tabd answers (`/ws`), and those of local servers in
 * `intercept`, become sockets of `tabd`, which no service worker can intercept; all others stay the browser's. The
 * options are those of `start`. Returns what undoes it.
 */
export function patchWebSocket(
  tabd: Pick<Tabd, 'connect'>,
  options: Pick<HandleOptions, 'apis' | 'prefix' | 'intercept'> = { apis: ['image-workflows'] },
): () => void {
  const native = globalThis.WebSocket;
  const patched = new Proxy(native, {
    construct(target, [url, protocols]: [string | URL, string | string[] | undefined]) {
      const address = new URL(url, document.baseURI);
      return isTabds(address, options) ? tabd.connect(address, protocols) : new target(url, protocols);
    },
  });
  globalThis.WebSocket = patched;
  return () => {
    if (globalThis.WebSocket === patched) globalThis.WebSocket = native;
  };
}

function isTabds(address: URL, options: HandleOptions): boolean {
  const { apis, prefix = '' } = options;
  if (address.host === location.host)
    return apiOfRequest('GET', address.pathname, apis, prefix) !== undefined;
  return interceptedApi(address.origin.replace(/^ws/, 'http'), options) !== undefined;
}
