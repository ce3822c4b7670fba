/** tabd in a service worker: `addEventListener('fetch', handle)` and `addEventListener('message', handle)`. */
import type { ApiName } from '#core/http';
import {
  type HandleOptions,
  pageOriginOf,
  type RequestTarget,
  readHandleOptions,
  relayRequest,
  requestTarget,
  type ToServiceWorker,
  toOutgoingRequest,
} from '#relay';
import { CallerWatch } from './caller-watch.ts';
import { handOver, link } from './server-connection.ts';

export type { ApiName, HandleOptions };

declare const self: ServiceWorkerGlobalScope;

const watch = new CallerWatch();

/**
 * Answers the event if it is tabd's: a `fetch` of a path that `options` switch on, or a `message` from a page that
 * uses tabd. Returns false, synchronously and without a trace, for everything else, which the site handles itself.
 * Without `options` they are read from the query of the service worker's own address.
 */
export function handle(
  event: Event,
  options: HandleOptions = readHandleOptions(self.location.search),
): boolean {
  if (event.type === 'fetch') return handleFetch(event as FetchEvent, options);
  if (event.type === 'message') return handleMessage(event as ExtendableMessageEvent);
  return false;
}

function handleFetch(event: FetchEvent, options: HandleOptions): boolean {
  const { request } = event;
  // Only a cache may answer this one.
  if (request.cache === 'only-if-cached' && request.mode !== 'same-origin') return false;
  const target = requestTarget(request.method, new URL(request.url), self.location.origin, options);
  if (!target) return false;
  if (target.api !== 'webhooks' && isForeignForm(request)) {
    event.respondWith(new Response(FOREIGN_FORM, { status: 403 }));
    return true;
  }
  // The event lives as long as its answer streams; `waitUntil` would end it, and the stream, after 310 s.
  event.respondWith(answer(event, target));
  return true;
}

const FOREIGN_FORM =
  'A form of another page was sent here, which this address does not take: it could delete and download things behind your back.\n';

/**
 * A form of another origin, which carries nothing that a server could know it by: browsers add `Origin` only on the
 * network. Webhooks take such forms, as they do elsewhere. A page that hides where its visitors come from counts as another.
 */
function isForeignForm(request: Request): boolean {
  return (
    request.method !== 'GET' && request.method !== 'HEAD' && pageOriginOf(request) !== self.location.origin
  );
}

async function answer(event: FetchEvent, { api, prefix, listener }: RequestTarget): Promise<Response> {
  const { request } = event;
  const caller = watch.begin(request.mode === 'navigate' ? '' : event.clientId);
  try {
    const signal = AbortSignal.any([request.signal, caller.signal]);
    const out = { ...toOutgoingRequest(request, prefix), context: { listener }, signal, onEnd: caller.over };
    const response = redirected(await relayRequest(link, out, api), request.url, prefix);
    return request.mode === 'navigate' ? await whole(response) : response;
  } catch {
    // Whoever asked has left.
    return Response.error();
  }
}

/**
 * A navigation ends the page that is left as soon as it has a head, and with it the answer if that page answers. So
 * what comes in one piece is there before; what streams needs another tab.
 */
async function whole(response: Response): Promise<Response> {
  if (!response.body || !response.headers.has('content-length')) return response;
  return new Response(await response.blob(), response);
}

/** Safari follows redirects of a service worker only when they were made by `Response.redirect`. */
function redirected(response: Response, base: string, prefix: string): Response {
  const location = response.headers.get('location');
  if (location === null || ![301, 302, 303, 307, 308].includes(response.status)) return response;
  response.body?.cancel().catch(() => {});
  const target =
    location.startsWith('/') && !location.startsWith('//') ? prefix.replace(/\/+$/, '') + location : location;
  return Response.redirect(new URL(target, base), response.status);
}

function handleMessage(event: ExtendableMessageEvent): boolean {
  const message = event.data as ToServiceWorker | undefined;
  const [port] = event.ports;
  if (typeof message !== 'object' || message === null || !('tabd' in message)) return false;
  if (message.tabd === 'who' && port) port.postMessage({ id: (event.source as Client).id });
  else if (message.tabd === 'claim') event.waitUntil(self.clients.claim());
  else if (message.tabd === 'attach' && port) event.waitUntil(handOver(port, message.kind));
  return true;
}
