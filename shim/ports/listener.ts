import type { Socket } from 'node:net';
import { bind, PortTaken } from './bind.ts';
import { type HttpHandler, httpServer, Running } from './http-handler.ts';
import { type PortServer, portServer, type TlsOptions } from './port-server.ts';

export interface ListenOptions {
  /** 0 takes any free port. */
  port: number;
  /** An address to listen on; without it both loopback addresses. */
  address?: string;
  /** When the port is taken, the next free one is used: at most this many are tried. */
  alternatives?: number;
  /** With it the port answers https too. */
  tls?: TlsOptions;
}

/**
 * Connections of one port at once: beyond it new ones are dropped, so that those who are there are still served. More
 * than webhooks that run and stand in line (10,100), so that callers who find no room there are told so.
 */
const MAX_CONNECTIONS = 15_000;

/** One open port. */
export class Listener {
  readonly #servers: PortServer[];
  readonly #running: Running;
  readonly #sockets = new Set<Socket>();

  constructor(
    readonly port: number,
    servers: PortServer[],
    running: Running,
  ) {
    this.#servers = servers;
    this.#running = running;
    for (const server of servers) {
      server.net.maxConnections = MAX_CONNECTIONS;
      server.net.on('connection', (socket: Socket) => {
        this.#sockets.add(socket);
        socket.once('close', () => this.#sockets.delete(socket));
      });
    }
  }

  static async open(handler: HttpHandler, options: ListenOptions): Promise<Listener> {
    const running = new Running();
    for (let step = 0; ; step++) {
      try {
        const create = () => portServer(() => httpServer(handler, running), options.tls);
        const { port, servers } = await bind(create, options.port && options.port + step, options.address);
        return new Listener(port, servers, running);
      } catch (error) {
        if (!(error instanceof PortTaken) || step >= (options.alternatives ?? 0)) throw error;
      }
    }
  }

  get #http() {
    return this.#servers.flatMap(({ http }) => http);
  }

  /** Requests and sockets being answered now. */
  get running(): number {
    return this.#running.count;
  }

  /**
   * Takes no new connections and lets running answers finish; what still runs when `deadline` aborts is cut. WebSockets
   * are told at once that the server is going away.
   */
  async close(deadline: AbortSignal): Promise<void> {
    const closed = this.#servers.map(({ net }) => new Promise<void>((resolve) => net.close(() => resolve())));
    this.#running.door.close(false);
    // A connection that was kept open for a next request is idle only after the answer that runs on it.
    const sweep = setInterval(() => {
      for (const server of this.#http) server.closeIdleConnections();
      // Clients open connections ahead of need; Node does not count those as idle until something came on them.
      for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
    }, 50);
    const cut = () => {
      this.#running.door.close(true);
      for (const server of this.#http) server.closeAllConnections();
      for (const socket of this.#sockets) socket.destroy();
    };
    if (deadline.aborted) cut();
    else deadline.addEventListener('abort', cut, { once: true });
    await Promise.all(closed);
    clearInterval(sweep);
    deadline.removeEventListener('abort', cut);
  }
}
