import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

/** Names and addresses with an optional port; anything else a client sends as Host is kept as a header only. */
const USUAL_HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._~-]+)(:\d{1,5})?$/i;

/** A Fetch Request of what Node received: same method, path, query and raw header values; the body is pulled. */
export function toFetchRequest(
  incoming: IncomingMessage,
  signal: AbortSignal,
  body: ReadableStream<Uint8Array<ArrayBuffer>> | undefined,
): Request {
  const method = incoming.method ?? 'GET';
  // Fetch refuses to build a TRACE request; the core still has to answer it like every other method.
  const unbuildable = method === 'TRACE';
  const request = new Request(requestUrl(incoming), {
    method: unbuildable ? 'POST' : method,
    headers: requestHeaders(incoming),
    signal,
    ...(body && { body, duplex: 'half' }),
  });
  if (unbuildable) Object.defineProperty(request, 'method', { value: method });
  return request;
}

export function requestUrl(incoming: IncomingMessage): string {
  const scheme = (incoming.socket as TLSSocket).encrypted ? 'https' : 'http';
  const target = escapeTarget(incoming.url || '/');
  if (/^https?:\/\//i.test(target) && URL.canParse(target)) return target;
  const host = incoming.headers.host ?? '';
  const path = target.startsWith('/') ? target : `/${target}`;
  const url = `${scheme}://${host}${path}`;
  // A Host that makes no URL is still the core's to judge, by the header.
  return USUAL_HOST.test(host) && URL.canParse(url)
    ? url
    : `${scheme}://localhost:${incoming.socket.localPort}${path}`;
}

/** What a URL would read as syntax but HTTP sends as it is. (Bytes above 127 never get here: Node answers them with 400.) */
function escapeTarget(target: string): string {
  const [path, ...query] = target.replaceAll('#', '%23').split('?');
  return [path!.replaceAll('\\', '%5C'), ...query].join('?');
}

export function requestHeaders(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  const raw = incoming.rawHeaders;
  for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at]!, raw[at + 1]!);
  return headers;
}

/** The caller's address, IPv4 in its usual form also on a dual-stack socket. */
export function clientAddress(incoming: IncomingMessage): string {
  return (incoming.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
}
