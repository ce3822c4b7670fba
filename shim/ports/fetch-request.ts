import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

/** Names and addresses with an optional port. Any other Host stays in the header but not in the URL. */
const USUAL_HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._~-]+)(:\d{1,5})?$/i;

/** Converts a Node request to a Fetch Request with the same method, path, query and raw header values. */
export function toFetchRequest(
  incoming: IncomingMessage,
  signal: AbortSignal,
  body: ReadableStream<Uint8Array<ArrayBuffer>> | undefined,
): Request {
  const method = incoming.method ?? 'GET';
  // Fetch cannot construct a TRACE request, but the core must answer it like every other method.
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
  // The core checks an unusual Host by its header.
  return USUAL_HOST.test(host) && URL.canParse(url)
    ? url
    : `${scheme}://localhost:${incoming.socket.localPort}${path}`;
}

/**
 * Escapes characters that are syntax in a URL but not in HTTP. Bytes above 127 do not occur: Node has answered such
 * requests with 400.
 */
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

/** The client's address. IPv4 addresses have their usual form on a dual-stack socket too. */
export function peerAddress(incoming: IncomingMessage): string {
  return (incoming.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
}
