/** tabd's own service worker, for pages that have none: what to answer is written in the query of its address. */
import { precache } from './app-shell.ts';
import { handle } from './handle.ts';

declare const self: ServiceWorkerGlobalScope;

const shell = precache();

// A first visit needs no second one; an update waits until the page finds that nothing runs.
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('message', (event) => {
  if (event.data?.type === 'SKIP_WAITING') event.waitUntil(self.skipWaiting());
  else if (event.data?.tabd === 'complete') event.waitUntil(shell?.complete() ?? Promise.resolve());
  else handle(event);
});
self.addEventListener('fetch', (event) => {
  if (!handle(event)) shell?.handle(event);
});
