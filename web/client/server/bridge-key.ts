import { type BridgeLink, lockName } from '#relay';

/** As the shim's bridge names itself. */
const PROTOCOL = 'tabd.bridge.1';
const PATH = '/tabd/bridge';

/**
 * The key with which this browser may come back to the bridge of the shim that served the page: the token of the
 * shim's link is good for one connection only, on which the key is agreed.
 */
export class BridgeKey {
  readonly #name: string;

  constructor(scope: string) {
    this.#name = lockName(scope, 'bridge-key');
  }

  /** The connection of a former visit, if there was one. */
  get link(): BridgeLink | undefined {
    const key = localStorage.getItem(this.#name);
    return key === null ? undefined : this.#link(key);
  }

  create(token: string): BridgeLink {
    const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
      byte.toString(16).padStart(2, '0'),
    ).join('');
    localStorage.setItem(this.#name, key);
    return this.#link(key, token);
  }

  forget(): undefined {
    localStorage.removeItem(this.#name);
    return undefined;
  }

  #link(key: string, token?: string): BridgeLink {
    const url = new URL(PATH, location.origin.replace('http', 'ws')).href;
    const protocols = [PROTOCOL, `key.${key}`];
    return { url, protocols: token === undefined ? protocols : [...protocols, `token.${token}`] };
  }
}
