import type { CallContext, Server } from '../../../core/server-types.ts';
import { clientAddress } from './fetch-request.ts';
import { Listener } from './listener.ts';
import { isPageVisit, redirectTo } from './navigation.ts';
import table from './ports.json' with { type: 'json' };

export type PortName = Exclude<CallContext['listener'], 'origin'>;

export interface PortInfo {
  listener: PortName;
  /** The number that clients expect. */
  port: number;
  /** What is spoken there, for people. */
  what: string;
  /** The program known for this number. */
  usualOwner: string;
}

export const PORTS = table as PortInfo[];

export interface PortOptions {
  port: number;
  address?: string;
  alternatives?: number;
  /** Where the app is: page visits to the root go there, and its origin is allowed everywhere. */
  appOrigin?: string;
}

/** Puts one API of `server` on a port. Throws `PortTaken`. */
export function openPort(server: Server, name: PortName, options: PortOptions): Promise<Listener> {
  const context = (address: string): CallContext => ({
    listener: name,
    loopback: isLoopbackOnly(options.address),
    clientAddress: address,
    appOrigins: options.appOrigin ? [options.appOrigin] : [],
  });
  return Listener.open(
    {
      async fetch(request, incoming) {
        const address = clientAddress(incoming);
        // The app's address names this computer: another one would find nothing there.
        if (options.appOrigin && isLoopback(address) && isPageVisit(incoming)) {
          return redirectTo(`${options.appOrigin}/`);
        }
        return server.fetch(request, context(address));
      },
      connect: (request, incoming) => server.connect(request, context(clientAddress(incoming))),
    },
    options,
  );
}

/** The socket cannot be reached from other computers. */
export function isLoopbackOnly(address: string | undefined): boolean {
  return address === undefined || address === 'localhost' || isLoopback(address);
}

export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
