/** Finds the address of a host that a connection may use. */
import { lookup } from 'node:dns/promises';
import { isIP, Socket } from 'node:net';
import { type ConnectionLimits, ConnectionNotAllowed, type TlsSettings } from '#core/host';

/**
 * The first allowed address of a host. Clients connect to this address, so that a name cannot lead elsewhere after the
 * check.
 * @throws ConnectionNotAllowed
 */
export async function allowedAddress(
  { host, port }: { host: string; port: number },
  { allows, signal }: Pick<ConnectionLimits, 'allows' | 'signal'>,
): Promise<string> {
  signal.throwIfAborted();
  const name = host.trim().replace(/^\[|\]$/g, '');
  const found = isIP(name) ? [name] : (await lookup(name, { all: true })).map(({ address }) => address);
  const address = found.find((candidate) => allows(candidate, port));
  if (address === undefined) throw new ConnectionNotAllowed(found[0] ?? name);
  return address;
}

interface TlsOptions {
  servername?: string;
  rejectUnauthorized: boolean;
  ca?: string;
  cert?: string;
  key?: string;
  passphrase?: string;
}

/** Options of TLS. The certificate must be that of the host's name, although the connection uses its address. */
export function tlsOptions(host: string, settings: TlsSettings): TlsOptions {
  const { acceptsAnyCertificate, ca, cert, key, passphrase } = settings;
  return {
    ...(!isIP(host) && { servername: host }),
    rejectUnauthorized: acceptsAnyCertificate !== true,
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(passphrase && { passphrase }),
  };
}

/** Milliseconds between two looks at the bytes of a connection. */
const LOOK = 100;

/** A socket that ends with an error when it has received more bytes than allowed. */
export function limitedSocket({ maxBytes }: Pick<ConnectionLimits, 'maxBytes'>): Socket {
  const socket = new Socket();
  const { push } = socket;
  const endIfTooLarge = () => {
    if (socket.bytesRead > maxBytes) socket.destroy(tooLarge(maxBytes));
    return socket.destroyed;
  };
  socket.push = (chunk, encoding) => (endIfTooLarge() ? false : push.call(socket, chunk, encoding));
  // TLS reads from the connection below the socket.
  const timer = setInterval(endIfTooLarge, LOOK).unref();
  socket.once('close', () => clearInterval(timer));
  return socket;
}

export function tooLarge(maxBytes: number): Error {
  return new Error(`The answer is larger than ${Math.round(maxBytes / 2 ** 20)} MiB`);
}
