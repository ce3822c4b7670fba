/** Web Crypto for one run of a Code node. The keys stay here: the code holds their numbers. */
import { Mutex } from '#core/base';
import { SUBTLE_METHODS } from '../subtle-methods.ts';
import { checkSubtleCost } from './subtle-cost.ts';

// biome-ignore lint/suspicious/noExplicitAny: methods and algorithms are chosen by name
type Any = any;

/** All runs of a thread take turns: many computations at once would delay files and names of the whole server. */
const turns = new Mutex();

export class Subtle {
  readonly #keys: Any[] = [];
  readonly #ended = new AbortController();

  /**
   * Calls a method of `crypto.subtle`, after the calls before it.
   * @throws for a name that is not one of them, a cost over the limits, and what the method throws
   */
  async call(method: string, args: unknown[]): Promise<unknown> {
    if (!SUBTLE_METHODS.includes(method)) throw new Error(`crypto.subtle.${method} does not exist`);
    const values = args.map((arg) => this.#unmarshal(arg));
    checkSubtleCost(values);
    return this.#marshal(
      await turns.run(() => (crypto.subtle as Any)[method](...values), this.#ended.signal),
    );
  }

  /** Drops the calls that wait. */
  end(): void {
    this.#ended.abort(new Error('the code has ended'));
  }

  #unmarshal(value: Any): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Uint8Array) return value;
    if (value.__key !== undefined) return this.#keys[value.__key];
    if (Array.isArray(value)) return value.map((element) => this.#unmarshal(element));
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#unmarshal(inner)]));
  }

  #marshal(value: Any): unknown {
    if (value instanceof ArrayBuffer) return new Uint8Array(value);
    if (typeof value !== 'object' || value === null) return value;
    if (value.privateKey && value.publicKey) {
      return { privateKey: this.#marshal(value.privateKey), publicKey: this.#marshal(value.publicKey) };
    }
    if ('extractable' in value && 'usages' in value) return { __key: this.#keys.push(value) - 1 };
    return value;
  }
}
