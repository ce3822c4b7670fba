/** tabd's own service worker, for sites that have none. The query of its URL contains the options of `handle`. */
import { createAppShell } from './app-shell.ts';
import { handle } from './handle.ts';

declare const self: ServiceWorkerGlobalScope;

const shell = createAppShell();

// The first installation controls its page at once. An update waits until the page finds that nothing is running.
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('message', (event) => {
  if (event.data?.type === 'SKIP_WAITING') event.waitUntil(self.skipWaiting());
  else if (event.data?.tabd === 'complete') event.waitUntil(shell?.complete() ?? Promise.resolve());
  else handle(event);
});
self.addEventListener('fetch', (event) => {
  if (!handle(event)) shell?.handle(event);
});
