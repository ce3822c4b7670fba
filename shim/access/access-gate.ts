import { accessRefusedResponse } from '#core/http';
import type { Gate } from '../ports/gate.ts';
import type { PortName } from '../ports/open-ports.ts';
import { Allowance, type Limits } from './allowance.ts';
import { digestOf, keyOf } from './api-keys.ts';

/**
 * Lets by who shows one of the keys, within its limits. Not asked are questions of browsers before a request (they can
 * show none), and the port of the webhooks: those who call them bring what each workflow demands, and its management
 * has keys of its own.
 */
export function accessGate(keys: readonly string[], limits: Limits): Gate {
  const allowances = new Map(keys.map((key) => [digestOf(key), new Allowance(limits)]));
  return (request, { listener }) => {
    if (listener === 'webhooks' || isPreflight(request)) return undefined;
    const api = listener as PortName;
    const { pathname } = new URL(request.url);
    const key = keyOf(request.headers);
    const allowance = key === undefined ? undefined : allowances.get(digestOf(key));
    if (!allowance) {
      const message =
        key === undefined
          ? 'this server asks for a key: send it as "Authorization: Bearer KEY" or "x-api-key: KEY"'
          : 'this server does not know that key';
      return accessRefusedResponse(api, pathname, { status: 401, message });
    }
    const verdict = allowance.enter();
    if (verdict === 'allowed') return () => allowance.leave();
    const message =
      verdict.reason === 'rate'
        ? `this key may ask ${limits.perMinute} times a minute: ask again in ${verdict.seconds} s`
        : `this key may ask for ${limits.atOnce} at once: ask again when one has ended`;
    return accessRefusedResponse(api, pathname, { status: 429, message, retryAfter: verdict.seconds });
  };
}

function isPreflight(request: Request): boolean {
  return request.method === 'OPTIONS' && request.headers.has('access-control-request-method');
}
