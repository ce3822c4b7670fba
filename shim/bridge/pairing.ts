import { randomBytes, timingSafeEqual } from 'node:crypto';
import { type PairedTab, PairedTabs } from './paired-tabs.ts';

/**
 * The first subprotocol that a tab offers. Others are `token.` with the link's token and `key.` with a key that the browser
 * chose. `browser.` has an id that the browser keeps when it forgets its key.
 */
export const BRIDGE_PROTOCOL = 'tabd.bridge.1';

/** Milliseconds for which the token of a link is valid, unless it is used before. */
export const LINK_LIFETIME = 60 * 60_000;

/**
 * Decides which tabs may answer the ports. The token of a link admits one tab, once. That tab brings a key of its own,
 * with which it may reconnect until it is revoked.
 */
export class Pairing {
  /** When each valid token expires, in milliseconds since 1970. */
  readonly #tokens = new Map<string, number>();

  constructor(
    readonly tabs = new PairedTabs(),
    private readonly now: () => number = Date.now,
  ) {}

  /** The token of the next link. It is valid for one connection, and for half of `LINK_LIFETIME` at least. */
  get token(): string {
    this.#dropExpired();
    for (const [token, expires] of this.#tokens) {
      if (expires - this.now() >= LINK_LIFETIME / 2) return token;
    }
    const token = randomBytes(24).toString('base64url');
    this.#tokens.set(token, this.now() + LINK_LIFETIME);
    return token;
  }

  /** When the token of the link expires, in milliseconds since 1970. */
  expiry(token: string): number | undefined {
    return this.#tokens.get(token);
  }

  /**
   * The paired tab that offers these subprotocols, or undefined for a stranger. A token is used up.
   * @param agent the `User-Agent` of the tab, from which a new tab gets its name
   */
  admit(protocols: string[], agent?: string): PairedTab | undefined {
    const key = secretIn(protocols, 'key.');
    if (!protocols.includes(BRIDGE_PROTOCOL) || !key || key.length < 20) return undefined;
    const paired = this.tabs.withKey(key);
    if (paired) return paired;
    this.#dropExpired();
    const offered = secretIn(protocols, 'token.');
    const token = offered && [...this.#tokens.keys()].find((each) => isSameSecret(each, offered));
    if (!token) return undefined;
    this.#tokens.delete(token);
    return this.tabs.add(key, { agent, browser: secretIn(protocols, 'browser.') });
  }

  #dropExpired(): void {
    for (const [token, expires] of this.#tokens) {
      if (expires <= this.now()) this.#tokens.delete(token);
    }
  }
}

function secretIn(protocols: string[], prefix: string): string | undefined {
  return protocols.find((protocol) => protocol.startsWith(prefix))?.slice(prefix.length);
}

function isSameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
