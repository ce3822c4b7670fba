import {
  type HandleOptions,
  relayRequest,
  requestTarget,
  type ServerConnection,
  toOutgoingRequest,
} from '#relay';

export type FetchFunction = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

/** Returns a `fetch` that sends requests to tabd's paths over `link` and all others to `other`. */
export function createFetch(
  link: ServerConnection,
  options: HandleOptions,
  other: FetchFunction,
): FetchFunction {
  return async (input, init) => {
    const address = new URL(input instanceof Request ? input.url : input, document.baseURI);
    const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase();
    const target = requestTarget(method, address, location.origin, options);
    if (!target) return other(input, init);
    const request = new Request(input instanceof Request ? input : address, init);
    request.signal.throwIfAborted();
    // A Blob is sent by reference, without being read into memory.
    const body = init?.body instanceof Blob ? init.body : undefined;
    const { api, prefix, listener } = target;
    const out = {
      ...toOutgoingRequest(request, prefix, body),
      context: { listener },
      signal: request.signal,
    };
    return relayRequest(link, out, api);
  };
}
