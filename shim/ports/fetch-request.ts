import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { type ClientRequest, portRequest } from './port-request.ts';

/** Names and addresses with an optional port. Any other Host stays in the header but not in the URL. */
const USUAL_HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._~-]+)(:\d{1,5})?$/i;

/**
 * Converts a Node request to a Fetch Request with the same method, path, query and raw header values.
 * @throws TypeError for an address with a name and a password, as the constructor of `Request` does
 */
export function toFetchRequest(
  incoming: IncomingMessage,
  body: ReadableStream<Uint8Array<ArrayBuffer>> | undefined,
): ClientRequest {
  const { href, username, password } = requestUrl(incoming);
  if (username || password) throw new TypeError('the address of a request contains no credentials');
  return portRequest(href, incoming, body);
}

function requestUrl(incoming: IncomingMessage): URL {
  const scheme = (incoming.socket as TLSSocket).encrypted ? 'https' : 'http';
  const target = escapeTarget(incoming.url || '/');
  const absolute = /^https?:\/\//i.test(target) ? parsedUrl(target) : undefined;
  if (absolute) return absolute;
  const host = incoming.headers.host ?? '';
  const path = target.startsWith('/') ? target : `/${target}`;
  // The core checks an unusual Host by its header.
  const own = USUAL_HOST.test(host) ? parsedUrl(`${scheme}://${host}${path}`) : undefined;
  return own ?? new URL(`${scheme}://localhost:${incoming.socket.localPort}${path}`);
}

/** Undefined for a text that is no URL. Node 20 has no `URL.parse`. */
function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/**
 * Escapes characters that are syntax in a URL but not in HTTP. Bytes above 127 do not occur: Node has answered such
 * requests with 400.
 */
function escapeTarget(target: string): string {
  if (!/[#\\]/.test(target)) return target;
  const [path, ...query] = target.replaceAll('#', '%23').split('?');
  return [path!.replaceAll('\\', '%5C'), ...query].join('?');
}

/** The client's address. IPv4 addresses have their usual form on a dual-stack socket too. */
export function peerAddress(incoming: IncomingMessage): string {
  return (incoming.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
}
