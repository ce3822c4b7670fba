/** A site with a service worker of its own, in which tabd answers its paths. */
import { handle } from '#sw/handle.ts';

declare const self: ServiceWorkerGlobalScope;

const options = { apis: ['local-models'], prefix: '/ai' } as const;

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('message', (event) => handle(event, options));
self.addEventListener('fetch', (event) => {
  if (handle(event, options)) return;
  if (new URL(event.request.url).pathname === '/from-site-worker') {
    event.respondWith(new Response("the site's own service worker"));
  }
});
