import type { Server } from '#core/http';
import { type AppServerOptions, openAppServer } from '../../app-server/app-server.ts';
import { UsageError } from '../../base/usage-error.ts';
import { PortTaken } from '../../ports/bind.ts';
import type { ListenOptions, PortListener } from '../../ports/listener.ts';
import { openPort, PORTS, type PortInfo } from '../../ports/open-ports.ts';
import type { PortChoice } from '../../ports/port-choice.ts';
import type { PortGate } from '../../ports/port-gate.ts';
import { describeOwner } from '../../ports/port-owner.ts';
import type { TlsOptions } from '../../ports/port-server.ts';

/** How many higher port numbers to try when a port is taken. */
const ALTERNATIVES = 50;
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL']);

export interface OpenServersOptions {
  /** Creates the server of the three ports. `appOrigins`: the origins of the page, that on localhost first. */
  server(appOrigins: string[]): Server;
  ports: PortChoice[];
  /** The address to listen on, or `any`. Without one, the server listens on loopback addresses only. */
  listen?: string;
  /** The certificate. With one, every port also answers https. */
  tls?: TlsOptions;
  /** Further hosts (`192.168.1.5`, `[fd00::7]`) of the page's https address. */
  httpsHosts?: string[];
  /** The checks of each request to the three ports. */
  gates?: readonly PortGate[];
  app: Omit<AppServerOptions, keyof ListenOptions | 'ports'>;
  /** Shows a message to the user, such as about a port that was taken. */
  notice(text: string): void;
}

export interface OpenServers {
  appOrigin: string | undefined;
  /** Origins of the page for other computers. */
  moreOrigins: string[];
  /** `host`: the address at which this computer reaches the port. */
  ports: { info: PortInfo; host: string; port: number }[];
  /** The number of requests and sockets that are being answered now. */
  running(): number;
  /** Closes all ports. Running requests may finish until `deadline` aborts. */
  close(deadline: AbortSignal): Promise<void>;
}

/**
 * Opens the app server and the ports. Rejects with `UsageError` if a port that the user chose by number is
 * taken.
 */
export async function openServers(options: OpenServersOptions): Promise<OpenServers> {
  const listeners: PortListener[] = [];
  const open = async (
    choice: PortChoice,
    usualOwner: string | undefined,
    start: (listen: ListenOptions) => Promise<PortListener>,
  ): Promise<PortListener> => {
    const port = choice.port!;
    const listener = await start({
      port,
      address: choice.address ?? options.listen,
      ...(options.tls && { tls: options.tls }),
      alternatives: choice.explicit ? 0 : ALTERNATIVES,
    }).catch(async (error) => {
      if (NO_SUCH_ADDRESS.has((error as NodeJS.ErrnoException).code ?? '')) {
        const address = choice.address ?? options.listen;
        const source = choice.address ? 'OLLAMA_HOST' : '--listen';
        throw new UsageError(`${source} names ${address}, which is not an address of this computer`);
      }
      if (!(error instanceof PortTaken)) throw error;
      const owner = await describeOwner(port, usualOwner);
      throw new UsageError(
        `port ${port} is taken by ${owner}: choose another with --ports ${choice.name}=PORT ` +
          `(0 takes any free port, off keeps it closed)`,
      );
    });
    if (port !== 0 && listener.port !== port) {
      const owner = await describeOwner(port, usualOwner);
      options.notice(`port ${port} is taken by ${owner}: using ${listener.port} instead`);
    }
    listeners.push(listener);
    return listener;
  };
  const choiceFor = (name: PortChoice['name']) =>
    options.ports.find((choice) => choice.name === name && choice.port !== undefined);

  const ports: OpenServers['ports'] = [];
  try {
    const app = choiceFor('app');
    const appListener =
      app &&
      (await open(app, undefined, (listen) =>
        openAppServer({ ...options.app, ...listen, ports: () => portNumbers(ports) }),
      ));
    const appOrigin = appListener && `http://localhost:${appListener.port}`;
    const moreOrigins = (appListener && options.tls ? (options.httpsHosts ?? []) : []).map(
      (host) => `https://${host}:${appListener!.port}`,
    );
    const server = options.server(appOrigin ? [appOrigin, ...moreOrigins] : []);
    for (const info of PORTS) {
      const choice = choiceFor(info.listener);
      if (!choice) continue;
      const listener = await open(choice, info.usualOwner, (listen) =>
        openPort(server, info.listener, { ...listen, appOrigin, moreOrigins, gates: options.gates ?? [] }),
      );
      ports.push({ info, host: reachableAt(choice.address ?? options.listen), port: listener.port });
    }
    return {
      appOrigin,
      moreOrigins,
      ports,
      running: () => listeners.reduce((sum, listener) => sum + listener.running, 0),
      close: async (deadline) => {
        await Promise.all(listeners.map((listener) => listener.close(deadline)));
      },
    };
  } catch (error) {
    await Promise.all(listeners.map((listener) => listener.close(AbortSignal.abort())));
    throw error;
  }
}

function portNumbers(ports: OpenServers['ports']): Record<string, number> {
  return Object.fromEntries(ports.map(({ info, port }) => [info.listener, port]));
}

/** The host, as URLs contain it, at which this computer reaches a server that listens on `address`. */
export function reachableAt(address: string | undefined): string {
  if (address === undefined || ['any', 'localhost', '0.0.0.0', '::'].includes(address)) return '127.0.0.1';
  return address.includes(':') ? `[${address}]` : address;
}
