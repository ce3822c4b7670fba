import type { BodySource, OutgoingRequest } from '#core/frames';
import { withoutPrefix } from '#core/http';

/**
 * A request as it travels: its path as the core knows it, without `prefix`. Headers that a browser adds only on the
 * network are filled in with what is known. The body is read no sooner than it is asked for; `body`: its source, when
 * the caller has it at hand.
 */
export function toOutgoingRequest(request: Request, prefix = '', body?: Blob): OutgoingRequest {
  const url = new URL(request.url);
  url.pathname = withoutPrefix(url.pathname, prefix) ?? url.pathname;
  const headers = new Headers(request.headers);
  const list: [string, string][] = [...headers];
  const add = (name: string, value: string) => {
    if (value && !headers.has(name)) list.push([name, value]);
  };
  const bodyless = request.method === 'GET' || request.method === 'HEAD';
  add('host', url.host);
  add('user-agent', navigator.userAgent);
  add('sec-fetch-mode', request.mode);
  add('sec-fetch-dest', request.destination);
  if (!bodyless) add('origin', pageOriginOf(request));
  const out: OutgoingRequest = { method: request.method, url: url.href, headers: list };
  // Firefox does not tell whether a request has a body.
  if (!bodyless && (body ?? request.body) !== null) {
    out.body = (): BodySource | Promise<BodySource> => body ?? request.body ?? request.arrayBuffer();
  }
  return out;
}

/** Of the page that asks. Only navigations can come from elsewhere: other pages' requests are not this service worker's. */
export function pageOriginOf({ mode, referrer }: Request): string {
  if (mode !== 'navigate') return location.origin;
  return URL.canParse(referrer) ? new URL(referrer).origin : 'null';
}
