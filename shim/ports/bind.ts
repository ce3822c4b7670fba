import { connect, type Server } from 'node:net';
import type { PortServer } from './port-server.ts';

/** Nothing else can be done on this port: somebody listens there, or the system keeps it. */
export class PortTaken extends Error {
  override name = 'PortTaken';
  constructor(
    readonly port: number,
    options?: { cause?: unknown },
  ) {
    super(`port ${port} is taken`, options);
  }
}

export interface Binding {
  port: number;
  servers: PortServer[];
}

const LOOPBACK = ['127.0.0.1', '::1'];
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);

/** Connections that came and were not taken yet, at most; the system may allow fewer. Many callers come at once. */
const BACKLOG = 4096;

/** As an address: all of the machine's. */
export const ANY = 'any';

/**
 * Listens on one port of `address`, or of both loopback addresses (where the machine has them): `localhost` means
 * either. Port 0 takes any free one. Throws `PortTaken`.
 */
export async function bind(create: () => PortServer, port: number, address?: string): Promise<Binding> {
  const addresses = address ? [address] : LOOPBACK;
  for (let attempt = 0; ; attempt++) {
    try {
      return await bindAll(create, port, addresses);
    } catch (error) {
      // With port 0 the first address chooses, and the second may find that one taken.
      if (port !== 0 || !(error instanceof PortTaken) || attempt >= 20) throw error;
    }
  }
}

async function bindAll(create: () => PortServer, wanted: number, addresses: string[]): Promise<Binding> {
  const servers: PortServer[] = [];
  let port = wanted;
  try {
    for (const address of addresses) {
      // Some systems let a socket on 127.0.0.1 steal the port of one on all addresses, without an error.
      if (port !== 0 && (await answers(port, address))) throw new PortTaken(port);
      const server = create();
      try {
        port = await listen(server.net, port, address);
      } catch (error) {
        if (servers.length > 0 && NO_SUCH_ADDRESS.has((error as NodeJS.ErrnoException).code ?? '')) continue;
        throw error;
      }
      servers.push(server);
    }
    return { port, servers };
  } catch (error) {
    for (const { net } of servers) net.close();
    throw error;
  }
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE' || error.code === 'EACCES'
          ? new PortTaken(port, { cause: error })
          : error,
      );
    server.once('error', failed);
    // Without a host Node takes `::` for both families, or 0.0.0.0 where there is no IPv6.
    const where = { host: host === ANY ? undefined : host, ipv6Only: host === '::1' };
    server.listen({ port, ...where, backlog: BACKLOG }, () => {
      server.off('error', failed);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

/** Somebody accepts connections there. */
export function answers(port: number, host: string): Promise<boolean> {
  const target = host === ANY || host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return new Promise((resolve) => {
    const socket = connect({ port, host: target, timeout: 500 });
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}
