/** Web Crypto for one run of a Code node. The keys stay here: the code holds their numbers. */
import { SUBTLE_METHODS } from '../subtle-methods.ts';

// biome-ignore lint/suspicious/noExplicitAny: methods and algorithms are chosen by name
type Any = any;

export class Subtle {
  readonly #keys: Any[] = [];

  /** Calls a method of `crypto.subtle`. @throws for a name that is not one of them, and what the method throws */
  async call(method: string, args: unknown[]): Promise<unknown> {
    if (!SUBTLE_METHODS.includes(method)) throw new Error(`crypto.subtle.${method} does not exist`);
    return this.#marshal(await (crypto.subtle as Any)[method](...args.map((arg) => this.#unmarshal(arg))));
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
