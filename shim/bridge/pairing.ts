import { randomBytes, timingSafeEqual } from 'node:crypto';

/** Subprotocols that a tab offers: this name, `token.<from the link>` and `key.<of its own making>`. */
export const BRIDGE_PROTOCOL = 'tabd.bridge.1';

/**
 * Who may be the tab behind the ports: whoever has the token of the link, once; that tab names a key of its own, with
 * which it may come back after a break.
 */
export class Pairing {
  #token = newSecret();
  #key: string | undefined;

  /** `key`: of a tab that was connected before; `keep` is told the key of a new one. */
  constructor(
    key?: string,
    private readonly keep: (key: string) => void = () => {},
  ) {
    this.#key = key;
  }

  /** Good for one connection. */
  get token(): string {
    return this.#token;
  }

  admits(protocols: string[]): boolean {
    const key = secretIn(protocols, 'key.');
    if (!protocols.includes(BRIDGE_PROTOCOL) || !key || key.length < 20) return false;
    if (this.#key && same(key, this.#key)) return true;
    const token = secretIn(protocols, 'token.');
    if (!token || !same(token, this.#token)) return false;
    this.#token = newSecret();
    this.#key = key;
    this.keep(key);
    return true;
  }
}

function secretIn(protocols: string[], prefix: string): string | undefined {
  return protocols.find((protocol) => protocol.startsWith(prefix))?.slice(prefix.length);
}

function newSecret(): string {
  return randomBytes(24).toString('base64url');
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
