import { connect, type Server } from 'node:net';
import type { PortServer } from './port-server.ts';

/** The port cannot be opened: another program listens on it, or the system reserves it. */
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

/**
 * The most connections that wait to be accepted. The system may allow fewer. Many clients may connect at
 * once.
 */
const BACKLOG = 4096;

/** The value of `--listen` for all addresses of this computer. */
export const ANY_ADDRESS = 'any';

/**
 * Listens on one port of `address`, or of both loopback addresses, since `localhost` may mean either. Port 0
 * takes any free port. Rejects with `PortTaken`.
 */
export async function bind(create: () => PortServer, port: number, address?: string): Promise<Binding> {
  const addresses = address ? [address] : LOOPBACK;
  for (let attempt = 0; ; attempt++) {
    try {
      return await bindAll(create, port, addresses);
    } catch (error) {
      // With port 0 the first address chooses the port, which may be taken on the second address.
      if (port !== 0 || !(error instanceof PortTaken) || attempt >= 20) throw error;
    }
  }
}

async function bindAll(create: () => PortServer, requested: number, addresses: string[]): Promise<Binding> {
  const servers: PortServer[] = [];
  let port = requested;
  try {
    for (const address of addresses) {
      // Some systems let a socket on 127.0.0.1 silently take over the port of one on all addresses.
      if (port !== 0 && (await isListening(port, address))) throw new PortTaken(port);
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
    // Without a host Node uses `::` for both families, or 0.0.0.0 on systems without IPv6.
    const where = { host: host === ANY_ADDRESS ? undefined : host, ipv6Only: host === '::1' };
    server.listen({ port, ...where, backlog: BACKLOG }, () => {
      server.off('error', failed);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

/** Whether a program accepts connections on this port. */
export function isListening(port: number, host: string): Promise<boolean> {
  const target = host === ANY_ADDRESS || host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
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
