import { toHex } from '#core/base';
import { type BridgeLink, lockName } from '#relay';

/** The WebSocket subprotocol of the shim's bridge. */
const PROTOCOL = 'tabd.bridge.1';
const PATH = '/tabd/bridge';

/**
 * The stored key with which this browser reconnects to the bridge of the shim that serves the page. The token of the
 * shim's link is valid for the first connection only, which registers the key.
 */
export class BridgeKey {
  readonly #name: string;

  constructor(scope: string) {
    this.#name = lockName(scope, 'bridge-key');
  }

  /** The link with the key of an earlier visit. Undefined when there is none. */
  get link(): BridgeLink | undefined {
    const key = localStorage.getItem(this.#name);
    return key === null ? undefined : this.#link(key);
  }

  /** Stores a new key and returns the link that registers it by `token`. */
  create(token: string): BridgeLink {
    const key = toHex(crypto.getRandomValues(new Uint8Array(16)));
    localStorage.setItem(this.#name, key);
    return this.#link(key, token);
  }

  /** Deletes the key. */
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
