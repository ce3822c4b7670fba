import { accessRefusedResponse } from '#core/http';
import type { PortName } from '../ports/open-ports.ts';
import type { PortGate } from '../ports/port-gate.ts';
import { keyDigest, keyInHeaders } from './api-keys.ts';
import { type KeyLimits, type Limiter, RateLimiter, type RateVerdict } from './rate-limiter.ts';

/** Creates the limiter of a key. `digest`: of the key. */
export type LimiterOf = (limits: KeyLimits, digest: string) => Limiter;

/**
 * Accepts requests that carry one of the keys, within the limits of that key. Two kinds of requests need no
 * key. CORS preflights cannot carry one. Calls of webhooks are authenticated by each workflow, and their
 * control API has its own keys.
 */
export function accessGate(
  keys: readonly string[],
  limits: KeyLimits,
  limiterOf: LimiterOf = () => new RateLimiter(limits),
): PortGate {
  const allowances = new Map(keys.map(keyDigest).map((digest) => [digest, limiterOf(limits, digest)]));
  return (request, { listener }) => {
    if (listener === 'webhooks' || isPreflight(request)) return undefined;
    const api = listener as PortName;
    const { pathname } = new URL(request.url);
    const key = keyInHeaders(request.headers);
    const allowance = key === undefined ? undefined : allowances.get(keyDigest(key));
    if (!allowance) {
      const message =
        key === undefined
          ? 'this server requires a key: send it as "Authorization: Bearer KEY" or "x-api-key: KEY"'
          : 'this server does not know that key';
      return accessRefusedResponse(api, pathname, { status: 401, message });
    }
    const answer = (verdict: RateVerdict) => {
      if (verdict === 'allowed') return () => allowance.leave();
      const message =
        verdict.reason === 'rate'
          ? `this key allows ${limits.perMinute} requests a minute: try again in ${verdict.seconds} s`
          : `this key allows ${limits.atOnce} requests at once: try again when one has ended`;
      return accessRefusedResponse(api, pathname, { status: 429, message, retryAfter: verdict.seconds });
    };
    const verdict = allowance.enter();
    return verdict instanceof Promise ? verdict.then(answer) : answer(verdict);
  };
}

function isPreflight(request: Request): boolean {
  return request.method === 'OPTIONS' && request.headers.has('access-control-request-method');
}
