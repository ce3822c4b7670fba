import { API_NAMES, type ApiName, type CallContext, DEFAULT_PORTS, type Server } from '#core/http';
import { peerAddress } from './fetch-request.ts';
import { type ListenOptions, PortListener } from './listener.ts';
import { isPageVisit, pageOf, redirectTo } from './navigation.ts';
import { PassedGates } from './pass-gates.ts';
import type { PortGate } from './port-gate.ts';

export type PortName = ApiName;

export interface PortInfo {
  listener: PortName;
  /** The number that clients expect. */
  port: number;
  /** The API's name for the user. */
  title: string;
  /** The program that usually listens on this number. */
  usualOwner: string;
}

const PROGRAMS: Record<PortName, Pick<PortInfo, 'title' | 'usualOwner'>> = {
  'local-models': { title: 'Ollama and OpenAI API', usualOwner: 'Ollama' },
  'image-workflows': { title: 'ComfyUI API', usualOwner: 'ComfyUI' },
  webhooks: { title: 'webhooks', usualOwner: 'n8n' },
};

export const PORTS: readonly PortInfo[] = API_NAMES.map((listener) => ({
  listener,
  port: DEFAULT_PORTS[listener],
  ...PROGRAMS[listener],
}));

export interface PortOptions extends ListenOptions {
  /** The app's origin. Page visits to the root are redirected there, and all ports allow it. */
  appOrigin?: string;
  /** Further origins of the app: the same page under other addresses of this computer. */
  moreOrigins?: string[];
  /** The checks of each request, in this order. */
  gates?: readonly PortGate[];
}

/** Serves one API of `server` on a port. Rejects with `PortTaken`. */
export function openPort(server: Server, name: PortName, options: PortOptions): Promise<PortListener> {
  const { appOrigin, moreOrigins = [], gates = [] } = options;
  const context = (address: string): CallContext => ({
    listener: name,
    loopback: isLoopbackOnly(options.address),
    clientAddress: address,
    appOrigins: appOrigin ? [appOrigin, ...moreOrigins] : moreOrigins,
  });
  const passed = new PassedGates(gates);
  return PortListener.open(
    {
      async fetch(request, incoming) {
        const address = peerAddress(incoming);
        // The app's origin is on localhost, so the redirect makes no sense for other computers.
        if (appOrigin && isLoopbackAddress(address) && isPageVisit(incoming))
          return redirectTo(pageOf(name, appOrigin));
        const call = context(address);
        const refusal = passed.enter(request, call);
        return (refusal instanceof Promise ? await refusal : refusal) ?? server.fetch(request, call);
      },
      async connect(request, incoming) {
        const call = context(peerAddress(incoming));
        return (await passed.enter(request, call)) ?? server.connect(request, call);
      },
      done(request, status) {
        passed.leave(request, status);
      },
    },
    options,
  );
}

/** Whether other computers cannot reach a socket on this address. */
export function isLoopbackOnly(address: string | undefined): boolean {
  return address === undefined || address === 'localhost' || isLoopbackAddress(address);
}

export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
