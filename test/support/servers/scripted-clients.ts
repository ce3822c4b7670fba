/** Clients that record what nodes ask of them, for servers that tests cannot start. */
import type { Clients } from '#core/host';

export interface ScriptedClients {
  clients: Clients;
  /** Every call: the method, then its arguments. `connect` has the kind and the settings. */
  calls: unknown[][];
}

/** @param methods the answers by the name of the method; others answer nothing */
export function scriptedClients(methods: Record<string, (...args: never[]) => unknown>): ScriptedClients {
  const calls: unknown[][] = [];
  const client = new Proxy(
    {},
    {
      get: (_target, name) =>
        // A client is no promise.
        name === 'then'
          ? undefined
          : async (...args: unknown[]) => {
              calls.push([name, ...args.filter((arg) => typeof arg !== 'function')]);
              return methods[String(name)]?.(...(args as never[]));
            },
    },
  );
  const connect = async (kind: string, settings: object) => {
    calls.push(['connect', kind, settings]);
    return client;
  };
  return { clients: { connect } as unknown as Clients, calls };
}
