import { randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * A tab offers three subprotocols: this name, `token.` with the link's token, and `key.` with a key that the
 * tab chose.
 */
export const BRIDGE_PROTOCOL = 'tabd.bridge.1';

/**
 * Decides which tab may answer the ports. The link's token admits one tab, once. That tab brings a key of its
 * own, with which it may reconnect later.
 */
export class Pairing {
  #token = newSecret();
  #key: string | undefined;

  /** `key`: that of a tab that was connected before. `keep` stores the key of a new tab. */
  constructor(
    key?: string,
    private readonly keep: (key: string) => void = () => {},
  ) {
    this.#key = key;
  }

  /** The token of the link, which is valid for one connection. */
  get token(): string {
    return this.#token;
  }

  /** Whether a tab that offers these subprotocols may connect. A token is used up. */
  admits(protocols: string[]): boolean {
    const key = secretIn(protocols, 'key.');
    if (!protocols.includes(BRIDGE_PROTOCOL) || !key || key.length < 20) return false;
    if (this.#key && isSameSecret(key, this.#key)) return true;
    const token = secretIn(protocols, 'token.');
    if (!token || !isSameSecret(token, this.#token)) return false;
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

function isSameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
