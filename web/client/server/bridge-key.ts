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
  readonly #browserName: string;

  constructor(scope: string) {
    this.#name = lockName(scope, 'bridge-key');
    this.#browserName = lockName(scope, 'bridge-browser');
  }

  /** The link with the key of an earlier visit. Undefined when there is none. */
  get link(): BridgeLink | undefined {
    const key = localStorage.getItem(this.#name);
    return key === null ? undefined : this.#link(key);
  }

  /** Stores a new key and returns the link that registers it by `token`. */
  create(token: string): BridgeLink {
    const key = randomHex();
    localStorage.setItem(this.#name, key);
    return this.#link(key, `token.${token}`, `browser.${this.#browser}`);
  }

  /** Deletes the key. */
  forget(): undefined {
    localStorage.removeItem(this.#name);
    return undefined;
  }

  /** An id that this browser keeps, so that the shim knows it under its name after it was disconnected. */
  get #browser(): string {
    const id = localStorage.getItem(this.#browserName) ?? randomHex();
    localStorage.setItem(this.#browserName, id);
    return id;
  }

  #link(key: string, ...more: string[]): BridgeLink {
    const url = new URL(PATH, location.origin.replace('http', 'ws')).href;
    return { url, protocols: [PROTOCOL, `key.${key}`, ...more] };
  }
}

function randomHex(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(16)));
}
