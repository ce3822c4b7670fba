/**
 * Connects only to addresses that a rule allows. The rule checks the address itself, so that names and
 * redirects cannot bypass it.
 */
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import { ConnectionNotAllowed, type NetworkRules } from '#core/host';

export async function connectorWithRules(
  allows: NetworkRules['allows'],
  options: { rejectUnauthorized: boolean },
): Promise<buildConnector.connector> {
  const { buildConnector: build } = await import('undici');
  if (!allows) return build(options);
  const byPort = new Map<number, buildConnector.connector>();
  return (target, callback) => {
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
    const host = target.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) && !allows(host, port)) return callback(new ConnectionNotAllowed(host), null);
    let connect = byPort.get(port);
    if (!connect) {
      connect = build({ ...options, lookup: allowedLookup((address) => allows(address, port)) });
      byPort.set(port, connect);
    }
    connect(target, callback);
  };
}

/** Resolves names to their allowed addresses. A name without an allowed address is refused. */
export function allowedLookup(allows: (address: string) => boolean): LookupFunction {
  return (hostname: string, options: LookupOptions, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error) return callback(error, '');
      const allowed = found.filter(({ address }) => allows(address));
      const [first] = allowed;
      if (!first) return callback(new ConnectionNotAllowed(found[0]?.address ?? hostname), '');
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
