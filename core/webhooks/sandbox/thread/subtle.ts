/** Web Crypto for one run of a Code node: keys stay here, the code knows their numbers. */
// biome-ignore lint/suspicious/noExplicitAny: methods and algorithms are picked by name
type Any = any;

const METHODS = new Set([
  'decrypt',
  'deriveBits',
  'deriveKey',
  'digest',
  'encrypt',
  'exportKey',
  'generateKey',
  'importKey',
  'sign',
  'verify',
]);

export class Subtle {
  readonly #keys: Any[] = [];

  async call(method: string, args: unknown[]): Promise<unknown> {
    if (!METHODS.has(method)) throw new Error(`crypto.subtle.${method} does not exist`);
    return this.#marshal(await (crypto.subtle as Any)[method](...args.map((arg) => this.#unmarshal(arg))));
  }

  #unmarshal(value: Any): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Uint8Array) return value;
    if (value.__key !== undefined) return this.#keys[value.__key];
    if (Array.isArray(value)) return value.map((one) => this.#unmarshal(one));
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
