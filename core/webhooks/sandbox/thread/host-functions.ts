/** The functions that the library inside of a sandbox calls synchronously: digests, `Intl`, zones. */
import {
  createMD5,
  createSHA1,
  createSHA3,
  createSHA224,
  createSHA256,
  createSHA384,
  createSHA512,
  type IHasher,
} from 'hash-wasm';
import type { QuickJSContext } from 'quickjs-emscripten-core';
import { callIntl } from './intl.ts';
import { zoneOffset } from './zone-offset.ts';

export type Hashers = Record<string, IHasher>;
let hashers: Promise<Hashers> | undefined;

/** Defines `__host`, which the library takes and removes. */
export async function hostFunctions(context: QuickJSContext): Promise<void> {
  hashers ??= makeHashers();
  const known = await hashers;
  const object = context.newObject();
  const define = (name: string, call: (...args: never[]) => string | number) => {
    const made = context.newFunction(name, (...args) => {
      const given = args.map((arg) => context.dump(arg)) as never[];
      const value = call(...given);
      return typeof value === 'string' ? context.newString(value) : context.newNumber(value);
    });
    context.setProp(object, name, made);
    made.dispose();
  };
  define('hash', (algorithm: string, data: string, encoding: string, form = 'text') =>
    digest(known, algorithm, form === 'base64' ? fromBase64(data) : data, encoding),
  );
  define('hmac', (algorithm: string, key: string, data: string, encoding: string) =>
    encode(hmac(known, algorithm, fromBase64(key), fromBase64(data)), encoding),
  );
  define('intl', (call: string) => callIntl(call));
  define('offset', (zone: string, millis: number) => zoneOffset(zone, millis));
  define('random', (count: number) => toBase64(crypto.getRandomValues(new Uint8Array(count))));
  context.setProp(context.global, '__host', object);
  object.dispose();
}

async function makeHashers(): Promise<Hashers> {
  const [md5, sha1, sha224, sha256, sha384, sha512, sha3] = await Promise.all([
    createMD5(),
    createSHA1(),
    createSHA224(),
    createSHA256(),
    createSHA384(),
    createSHA512(),
    createSHA3(512),
  ]);
  return { md5, sha1, sha224, sha256, sha384, sha512, sha3 };
}

function hasherOf(hashers: Hashers, algorithm: string): IHasher {
  const hasher = hashers[algorithm.toLowerCase().replace(/^sha-/, 'sha')];
  if (!hasher) throw new Error(`Digest method not supported: ${algorithm}`);
  return hasher;
}

function digest(hashers: Hashers, algorithm: string, data: string | Uint8Array, encoding: string): string {
  return encode(hasherOf(hashers, algorithm).init().update(data).digest('binary'), encoding);
}

/** RFC 2104 over the same hashers: the library's own HMAC can only be made asynchronously. */
function hmac(hashers: Hashers, algorithm: string, key: Uint8Array, data: Uint8Array): Uint8Array {
  const hasher = hasherOf(hashers, algorithm);
  const block = hasher.blockSize;
  const padded = new Uint8Array(block);
  padded.set(key.length > block ? hasher.init().update(key).digest('binary') : key);
  const inner = hasher
    .init()
    .update(padded.map((byte) => byte ^ 0x36))
    .update(data)
    .digest('binary');
  return hasher
    .init()
    .update(padded.map((byte) => byte ^ 0x5c))
    .update(inner)
    .digest('binary');
}

function encode(bytes: Uint8Array, encoding: string): string {
  if (encoding === 'base64') return toBase64(bytes);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 8192) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return btoa(binary);
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
}
