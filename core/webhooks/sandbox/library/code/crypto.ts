/** `require('crypto')` and Web Crypto: enough to make signatures over raw bodies, and to check them. */
import { Bytes } from '../../packed-message.ts';
import { SUBTLE_METHODS } from '../../subtle-methods.ts';
import { host } from '../host.ts';
import { callServer } from './bridge.ts';
import { Buffer, bufferOf, bytesOf } from './buffer.ts';

type Data = unknown;

class Digest {
  readonly #parts: Uint8Array[] = [];
  #done = false;
  constructor(private readonly finish: (data: ArrayBuffer, encoding: 'base64') => string) {}
  update(data: Data, encoding?: string): this {
    if (this.#done) throw new Error('Digest already called');
    // A copy: the caller may change the bytes before the digest is computed. `slice` of a Buffer would share them.
    const bytes = bytesOf(data, encoding);
    this.#parts.push(typeof data === 'string' ? bytes : new Uint8Array(bytes));
    return this;
  }
  digest(encoding?: string): string | Buffer {
    if (this.#done) throw new Error('Digest already called');
    this.#done = true;
    const data = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    const base64 = this.finish(bufferOf(data), 'base64');
    const bytes = Buffer.from(base64, 'base64');
    return encoding === undefined || encoding === 'buffer' ? bytes : bytes.toString(encoding as 'hex');
  }
}

const randomBytes = (count: number): Buffer => Buffer.from(host.random(Number(count)));

function randomUUID(): string {
  const bytes = randomBytes(16);
  bytes[6] = (bytes[6]! & 15) | 64;
  bytes[8] = (bytes[8]! & 63) | 128;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export const nodeCrypto = {
  createHash: (algorithm: string) =>
    new Digest((data, encoding) => host.hash(String(algorithm), data, encoding)),
  createHmac(algorithm: string, key: Data) {
    const secret = bufferOf(bytesOf(key));
    return new Digest((data, encoding) => host.hmac(String(algorithm), secret, data, encoding));
  },
  timingSafeEqual(a: Data, b: Data): boolean {
    const [left, right] = [bytesOf(a), bytesOf(b)];
    if (left.length !== right.length) throw new RangeError('Input buffers must have the same byte length');
    let difference = 0;
    for (const [index, byte] of left.entries()) difference |= byte ^ right[index]!;
    return difference === 0;
  },
  randomUUID,
  randomBytes,
  randomInt(low: number, high?: number) {
    const [from, to] = high === undefined ? [0, low] : [low, high];
    return from + (randomBytes(6).readUIntBE(0, 6) % (to - from));
  },
  get webcrypto() {
    return webCrypto;
  },
};

/** A key of `crypto.subtle`. The thread holds the key itself; here is only its number. */
class CryptoKey {
  constructor(readonly __key: number) {}
}

function marshal(value: unknown): unknown {
  if (value instanceof CryptoKey) return { __key: value.__key };
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return new Bytes(bytesOf(value));
  if (Array.isArray(value)) return value.map(marshal);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, marshal(inner)]));
  }
  return value;
}

function unmarshal(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof ArrayBuffer) return value;
  const { __key } = value as { __key?: number };
  if (__key !== undefined) return new CryptoKey(__key);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unmarshal(inner)]));
}

const subtle = Object.fromEntries(
  SUBTLE_METHODS.map((name) => [
    name,
    async (...args: unknown[]) => unmarshal(await callServer('subtle', name, args.map(marshal))),
  ]),
);

export const webCrypto = {
  subtle,
  randomUUID,
  getRandomValues<T extends ArrayBufferView>(array: T): T {
    const bytes = bytesOf(array);
    bytes.set(randomBytes(bytes.length));
    return array;
  },
};
