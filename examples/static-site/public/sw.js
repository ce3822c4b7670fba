// The site's own service worker. It keeps the quote of the day for offline visits; tabd is one line in it.
import { handle } from '/tabd/handle.js';

const tabd = { apis: ['local-models'] };

addEventListener('install', (event) =>
  event.waitUntil(caches.open('site').then((cache) => cache.add('/quote.txt'))),
);
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('message', (event) => handle(event, tabd));
addEventListener('fetch', (event) => {
  if (handle(event, tabd)) return;
  if (new URL(event.request.url).pathname === '/quote.txt')
    event.respondWith(caches.match('/quote.txt').then((kept) => kept ?? fetch(event.request)));
});
