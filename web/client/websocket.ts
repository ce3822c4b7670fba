import { ownerOf } from '../../core/http/paths.ts';
import type { HandleOptions } from '../../sw/options.ts';
import type { Tabd } from './types.ts';

/**
 * Replaces `WebSocket` in this page: addresses of this origin that tabd answers (`/ws`) become sockets of `tabd`, which
 * no service worker can intercept; all others stay the browser's. Returns what undoes it.
 */
export function patchWebSocket(
  tabd: Pick<Tabd, 'connect'>,
  { apis, prefix = '' }: Pick<HandleOptions, 'apis' | 'prefix'> = { apis: ['image-workflows'] },
): () => void {
  const native = globalThis.WebSocket;
  const patched = new Proxy(native, {
    construct(target, [url, protocols]: [string | URL, string | string[] | undefined]) {
      const address = new URL(url, document.baseURI);
      const here = address.host === location.host && ownerOf('GET', address.pathname, apis, prefix);
      return here ? tabd.connect(address, protocols) : new target(url, protocols);
    },
  });
  globalThis.WebSocket = patched;
  return () => {
    if (globalThis.WebSocket === patched) globalThis.WebSocket = native;
  };
}
