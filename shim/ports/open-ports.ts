import { API_NAMES, type ApiName, type CallContext, DEFAULT_PORTS, type Server } from '#core/http';
import { clientAddress } from './fetch-request.ts';
import type { Gate } from './gate.ts';
import { Listener, type ListenOptions } from './listener.ts';
import { isPageVisit, redirectTo } from './navigation.ts';

export type PortName = ApiName;

export interface PortInfo {
  listener: PortName;
  /** The number that clients expect. */
  port: number;
  /** What is spoken there, for people. */
  what: string;
  /** The program known for this number. */
  usualOwner: string;
}

const PROGRAMS: Record<PortName, Pick<PortInfo, 'what' | 'usualOwner'>> = {
  'local-models': { what: 'Ollama and OpenAI API', usualOwner: 'Ollama' },
  'image-workflows': { what: 'ComfyUI API', usualOwner: 'ComfyUI' },
  webhooks: { what: 'webhooks', usualOwner: 'n8n' },
};

export const PORTS: readonly PortInfo[] = API_NAMES.map((listener) => ({
  listener,
  port: DEFAULT_PORTS[listener],
  ...PROGRAMS[listener],
}));

export interface PortOptions extends ListenOptions {
  /** Where the app is: page visits to the root go there, and its origin is allowed everywhere. */
  appOrigin?: string;
  /** Further origins of the app: the same page under other addresses of this computer. */
  moreOrigins?: string[];
  /** Passed in this order. */
  gates?: readonly Gate[];
}

/** Puts one API of `server` on a port. Throws `PortTaken`. */
export function openPort(server: Server, name: PortName, options: PortOptions): Promise<Listener> {
  const { appOrigin, moreOrigins = [], gates = [] } = options;
  const context = (address: string): CallContext => ({
    listener: name,
    loopback: isLoopbackOnly(options.address),
    clientAddress: address,
    appOrigins: appOrigin ? [appOrigin, ...moreOrigins] : moreOrigins,
  });
  const leaving = new WeakMap<Request, ((status: number) => void)[]>();
  /** The refusal of the first gate that has one. */
  const enter = (request: Request, of: CallContext): Response | undefined => {
    const passed: ((status: number) => void)[] = [];
    leaving.set(request, passed);
    for (const gate of gates) {
      const answer = gate(request, of);
      if (answer instanceof Response) return answer;
      if (answer) passed.push(answer);
    }
    return undefined;
  };
  return Listener.open(
    {
      async fetch(request, incoming) {
        const address = clientAddress(incoming);
        // The app's address names this computer: another one would find nothing there.
        if (appOrigin && isLoopback(address) && isPageVisit(incoming)) return redirectTo(`${appOrigin}/`);
        const asked = context(address);
        return enter(request, asked) ?? server.fetch(request, asked);
      },
      async connect(request, incoming) {
        const asked = context(clientAddress(incoming));
        return enter(request, asked) ?? server.connect(request, asked);
      },
      done(request, status) {
        for (const leave of leaving.get(request) ?? []) leave(status);
      },
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
