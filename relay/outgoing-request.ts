import type { BodySource, OutgoingRequest } from '#core/frames';
import { withoutPrefix } from '#core/http';

/**
 * The form in which a request is relayed. Its path is the core's, without `prefix`. It has the headers that a browser
 * adds only on the network, such as `host`. The body is not read before the server asks for it.
 * @param body the request's body, if the caller has it as a Blob
 */
export function toOutgoingRequest(request: Request, prefix = '', body?: Blob): OutgoingRequest {
  const url = new URL(request.url);
  url.pathname = withoutPrefix(url.pathname, prefix) ?? url.pathname;
  const headers = new Headers(request.headers);
  const list: [string, string][] = [...headers];
  const add = (name: string, value: string) => {
    if (value && !headers.has(name)) list.push([name, value]);
  };
  const canHaveBody = request.method !== 'GET' && request.method !== 'HEAD';
  add('host', url.host);
  add('user-agent', navigator.userAgent);
  add('sec-fetch-mode', request.mode);
  add('sec-fetch-dest', request.destination);
  if (canHaveBody) add('origin', pageOriginOf(request));
  const outgoing: OutgoingRequest = { method: request.method, url: url.href, headers: list };
  // In Firefox `request.body` is undefined, so a request may have a body or not.
  if (canHaveBody && (body ?? request.body) !== null) {
    outgoing.body = (): BodySource | Promise<BodySource> => body ?? request.body ?? request.arrayBuffer();
  }
  return outgoing;
}

/**
 * The origin of the page that sent a request; the text `null` when the browser hides it. A service worker receives only
 * requests of its own pages, except for navigations, which any page can cause.
 */
export function pageOriginOf({ mode, referrer }: Request): string {
  if (mode !== 'navigate') return location.origin;
  return URL.canParse(referrer) ? new URL(referrer).origin : 'null';
}
