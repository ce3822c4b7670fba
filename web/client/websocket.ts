import { apiOfRequest } from '#core/http';
import { type HandleOptions, interceptedApi } from '#relay';
import type { Tabd } from './types.ts';

/**
 * Replaces `WebSocket` in this page, because service workers cannot intercept WebSockets. Addresses of this origin that
 * tabd answers (`/ws`), and those of local servers in `intercept`, become sockets of `tabd`. All others stay the
 * browser's. `options` are those of `start`. Returns a function that restores the browser's `WebSocket`.
 *
 * @example
 * ```ts browser
 * import { start } from 'tabd';
 * import { patchWebSocket } from 'tabd/websocket';
 *
 * const restore = patchWebSocket(await start(), { apis: ['image-workflows'], intercept: true });
 * const socket = new WebSocket('ws://127.0.0.1:8188/ws?clientId=1');
 * socket.onclose = restore;
 * ```
 */
export function patchWebSocket(
  tabd: Pick<Tabd, 'connect'>,
  options: Pick<HandleOptions, 'apis' | 'prefix' | 'intercept'> = { apis: ['image-workflows'] },
): () => void {
  const native = globalThis.WebSocket;
  const patched = new Proxy(native, {
    construct(target, [url, protocols]: [string | URL, string | string[] | undefined]) {
      const address = new URL(url, document.baseURI);
      return isAnsweredByTabd(address, options)
        ? tabd.connect(address, protocols)
        : new target(url, protocols);
    },
  });
  globalThis.WebSocket = patched;
  return () => {
    if (globalThis.WebSocket === patched) globalThis.WebSocket = native;
  };
}

function isAnsweredByTabd(address: URL, options: HandleOptions): boolean {
  const { apis, prefix = '' } = options;
  if (address.host === location.host)
    return apiOfRequest('GET', address.pathname, apis, prefix) !== undefined;
  return interceptedApi(address.origin.replace(/^ws/, 'http'), options) !== undefined;
}
