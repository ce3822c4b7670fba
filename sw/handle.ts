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
import { attachToServer, connection } from './server-connection.ts';

export type { ApiName, HandleOptions };

declare const self: ServiceWorkerGlobalScope;

const callers = new CallerWatch();

/**
 * Answers the event if it is tabd's: a `fetch` of a path that `options` enable, or a `message` from a page that uses tabd.
 * Returns false, synchronously and without side effects, for all other events, which the site handles itself.
 * @param options default: those in the query of the service worker's own URL
 *
 * @example
 * ```ts browser
 * import { type ApiName, handle } from 'tabd/sw';
 *
 * const apis: ApiName[] = ['local-models'];
 * addEventListener('message', (event) => handle(event));
 * addEventListener('fetch', (event) => {
 *   if (!handle(event, { apis })) console.log('a request of the site');
 * });
 * ```
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
  // The caller allows only the browser's cache as a source, so the browser answers this request itself.
  if (request.cache === 'only-if-cached' && request.mode !== 'same-origin') return false;
  const target = requestTarget(request.method, new URL(request.url), self.location.origin, options);
  if (!target) return false;
  if (target.api !== 'webhooks' && isForeignForm(request)) {
    event.respondWith(new Response(FOREIGN_FORM, { status: 403 }));
    return true;
  }
  // `respondWith` keeps the event alive while the response streams. `waitUntil` would end it after 310 s.
  event.respondWith(answer(event, target));
  return true;
}

const FOREIGN_FORM =
  'A form of another page was sent here, which this address does not take: it could delete and download things behind your back.\n';

/**
 * Whether a request is a form that another origin submits. A server could not recognize it, because browsers add `Origin` on
 * the network only. A page without a referrer counts as another origin. Webhooks accept such forms, as n8n does.
 */
function isForeignForm(request: Request): boolean {
  return (
    request.method !== 'GET' && request.method !== 'HEAD' && pageOriginOf(request) !== self.location.origin
  );
}

async function answer(event: FetchEvent, { api, prefix, listener }: RequestTarget): Promise<Response> {
  const { request } = event;
  const caller = callers.watch(request.mode === 'navigate' ? '' : event.clientId);
  try {
    const signal = AbortSignal.any([request.signal, caller.signal]);
    const outgoing = {
      ...toOutgoingRequest(request, prefix),
      context: { listener },
      signal,
      onEnd: caller.stop,
    };
    const response = toFetchRedirect(await relayRequest(connection, outgoing, api), request.url, prefix);
    return request.mode === 'navigate' ? await withCollectedBody(response) : response;
  } catch {
    // The client has disconnected.
    return Response.error();
  }
}

/**
 * Collects the body of a navigation's response, unless it streams. The browser closes the previous page as soon as the
 * head arrives, and that page may own the server worker. A streamed response reaches its end only if the server worker
 * belongs to another tab.
 */
async function withCollectedBody(response: Response): Promise<Response> {
  if (!response.body || !response.headers.has('content-length')) return response;
  return new Response(await response.blob(), response);
}

/** Replaces a redirect by one of `Response.redirect`: Safari follows no other redirect of a service worker. */
function toFetchRedirect(response: Response, base: string, prefix: string): Response {
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
  else if (message.tabd === 'attach' && port) event.waitUntil(attachToServer(port, message.kind));
  return true;
}
