import type { Socket } from 'node:net';
import { bind, PortTaken } from './bind.ts';
import { type HttpHandler, httpServer, RunningRequests } from './http-handler.ts';
import { type PortServer, portServer, type TlsOptions } from './port-server.ts';

export interface ListenOptions {
  /** 0 takes any free port. */
  port: number;
  /** An address to listen on. Default: both loopback addresses. */
  address?: string;
  /** How many higher port numbers to try when the port is taken. */
  alternatives?: number;
  /** The certificate. With one, the port also answers https. */
  tls?: TlsOptions;
}

/**
 * Simultaneous connections of one port. Further ones are dropped, so that the open ones are still served. The number
 * exceeds that of running and queued webhook calls (10,100), so callers beyond those still get a response.
 */
const MAX_CONNECTIONS = 15_000;

/** One open port. */
export class PortListener {
  readonly #servers: PortServer[];
  readonly #running: RunningRequests;
  readonly #sockets = new Set<Socket>();

  constructor(
    readonly port: number,
    servers: PortServer[],
    running: RunningRequests,
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

  static async open(handler: HttpHandler, options: ListenOptions): Promise<PortListener> {
    const running = new RunningRequests();
    for (let step = 0; ; step++) {
      try {
        const create = () => portServer(() => httpServer(handler, running), options.tls);
        const { port, servers } = await bind(create, options.port && options.port + step, options.address);
        return new PortListener(port, servers, running);
      } catch (error) {
        if (!(error instanceof PortTaken) || step >= (options.alternatives ?? 0)) throw error;
      }
    }
  }

  get #http() {
    return this.#servers.flatMap(({ http }) => http);
  }

  /** Number of running requests and open WebSockets. */
  get running(): number {
    return this.#running.count;
  }

  /**
   * Accepts no new connections and lets running requests finish. When `deadline` aborts, all connections are
   * closed. WebSockets get a close frame (1001) at once.
   */
  async close(deadline: AbortSignal): Promise<void> {
    const closed = this.#servers.map(({ net }) => new Promise<void>((resolve) => net.close(() => resolve())));
    this.#running.upgrader.close(false);
    // A keep-alive connection becomes idle only after its running response, so the check repeats.
    const sweep = setInterval(() => {
      for (const server of this.#http) server.closeIdleConnections();
      // Clients open connections ahead of need. Node counts them as idle only after their first request.
      for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
      this.#running.cutUnread();
    }, 50);
    const cut = () => {
      this.#running.upgrader.close(true);
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
