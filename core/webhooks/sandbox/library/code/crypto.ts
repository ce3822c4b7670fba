/** `require('crypto')` and Web Crypto: enough to make and check signatures over raw bodies. */
import { host } from '../host.ts';
import { callServer } from './bridge.ts';
import { Buffer, bytesOf, toBase64 } from './buffer.ts';

type Data = unknown;

class Digest {
  readonly #parts: Uint8Array[] = [];
  #done = false;
  constructor(private readonly finish: (data: string, encoding: 'base64') => string) {}
  update(data: Data, encoding?: string): this {
    if (this.#done) throw new Error('Digest already called');
    this.#parts.push(bytesOf(data, encoding));
    return this;
  }
  digest(encoding?: string): string | Buffer {
    if (this.#done) throw new Error('Digest already called');
    this.#done = true;
    const base64 = this.finish(Buffer.concat(this.#parts).toString('base64'), 'base64');
    const bytes = Buffer.from(base64, 'base64');
    return encoding === undefined || encoding === 'buffer' ? bytes : bytes.toString(encoding as 'hex');
  }
}

const randomBytes = (count: number): Buffer => Buffer.from(host.random(Number(count)), 'base64');

function randomUUID(): string {
  const bytes = randomBytes(16);
  bytes[6] = (bytes[6]! & 15) | 64;
  bytes[8] = (bytes[8]! & 63) | 128;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export const nodeCrypto = {
  createHash: (algorithm: string) =>
    new Digest((data, encoding) => host.hash(String(algorithm), data, encoding, 'base64')),
  createHmac(algorithm: string, key: Data) {
    const secret = toBase64(key);
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

/** A key that stays with the server; only its number is here. */
class CryptoKey {
  constructor(readonly __key: number) {}
}

function marshal(value: unknown): unknown {
  if (value instanceof CryptoKey) return { __key: value.__key };
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return { __bytes: toBase64(value) };
  if (Array.isArray(value)) return value.map(marshal);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, marshal(inner)]));
  }
  return value;
}

function unmarshal(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const held = value as { __bytes?: string; __key?: number };
  if (held.__bytes !== undefined) {
    const bytes = Buffer.from(held.__bytes, 'base64');
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  }
  if (held.__key !== undefined) return new CryptoKey(held.__key);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unmarshal(inner)]));
}

const METHODS = [
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
];

const subtle = Object.fromEntries(
  METHODS.map((name) => [
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
