/** The functions that the library inside of a sandbox calls synchronously: digests, encodings, `Intl`, time zones. */
import type { IHasher } from 'hash-wasm';
import type { QuickJSContext } from 'quickjs-emscripten-core';
import { Lazy, toHex } from '#core/base';
import { encodeBase64 } from '#core/http';
import { HASHERS } from '../../digests/hashers.ts';
import { HASH_NAMES } from '../hash-names.ts';
import { callIntl } from './intl.ts';
import { newBytes, readHandle, requireMemory } from './quickjs-values.ts';
import { decodeBytes, encodeBytes } from './text-bytes.ts';
import { zoneOffset } from './zone-offset.ts';

type Hashers = Record<string, IHasher>;

/** Shared by all instances of the thread: a hasher is used from start to end within one call. */
const hashers = new Lazy(async (): Promise<Hashers> => {
  const entries = HASH_NAMES.map(async (name) => {
    const create = HASHERS[name === 'sha3' ? 'SHA3-512' : name.toUpperCase()]!;
    return [name, await create()] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
});

/** Defines `__host`, which the library takes and removes. */
export async function defineHostFunctions(context: QuickJSContext): Promise<void> {
  const available = await hashers.get();
  const host = context.newObject();
  const define = (name: string, call: (...args: never[]) => string | number | Uint8Array) => {
    const handle = context.newFunction(name, (...args) => {
      const value = call(...(args.map((arg) => readHandle(context, arg)) as never[]));
      if (typeof value === 'string') return context.newString(value);
      return typeof value === 'number' ? context.newNumber(value) : newBytes(context, value);
    });
    context.setProp(host, name, handle);
    handle.dispose();
  };
  define('hash', (algorithm: string, data: string | Uint8Array, encoding: string) =>
    encode(digest(available, algorithm, data), encoding),
  );
  define('hmac', (algorithm: string, key: Uint8Array, data: Uint8Array, encoding: string) =>
    encode(hmac(available, algorithm, key, data), encoding),
  );
  // Text travels as JSON: a string that crosses the border ends at its first NUL.
  define('decode', (data: Uint8Array, encoding: string) => JSON.stringify(decodeBytes(data, encoding)));
  define('encode', (text: string, encoding: string) => encodeBytes(JSON.parse(text) as string, encoding));
  define('intl', (call: string) => callIntl(call));
  define('offset', (zone: string, millis: number) => zoneOffset(zone, millis));
  define('random', (count: number) => random(context, count));
  context.setProp(context.global, '__host', host);
  host.dispose();
}

function hasherFor(hashers: Hashers, algorithm: string): IHasher {
  const hasher = hashers[algorithm.toLowerCase().replace(/^sha-/, 'sha')];
  if (!hasher) throw new Error(`Digest method not supported: ${algorithm}`);
  return hasher;
}

function digest(hashers: Hashers, algorithm: string, data: string | Uint8Array): Uint8Array {
  return hasherFor(hashers, algorithm).init().update(data).digest('binary');
}

/** @throws SandboxOutOfMemory before memory outside of the sandbox is used */
function random(context: QuickJSContext, count: number): Uint8Array {
  requireMemory(context, count);
  const bytes = new Uint8Array(count);
  // Web Crypto fills at most 65,536 bytes a call.
  for (let at = 0; at < count; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes;
}

/** HMAC of RFC 2104. The library's own HMAC can only be created asynchronously. */
function hmac(hashers: Hashers, algorithm: string, key: Uint8Array, data: Uint8Array): Uint8Array {
  const hasher = hasherFor(hashers, algorithm);
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
  return encoding === 'base64' ? encodeBase64(bytes) : toHex(bytes);
}
