/** Checks that a call comes from the service that a trigger waits for. */
import { createHMAC, createSHA256 } from 'hash-wasm';
import { timingSafeEqual } from '../../credentials/timing-safe-equal.ts';
import type { HookCall } from '../../node-api/service-hook.ts';
import type { CallCheck } from './description.ts';
import { toBase64 } from './file-value.ts';

/** Seconds. An older call may be a recorded one that somebody repeats. */
const LONGEST_DELAY = 300;

/** @param now milliseconds since 1970 */
export async function isGenuine(
  { headers, query, bytes }: Pick<HookCall, 'headers' | 'query' | 'bytes'>,
  { header, query: parameter, hmacPrefix, hash, encoding, signed }: CallCheck,
  secret: string,
  now: number,
): Promise<boolean> {
  const sent = header === undefined ? String(query[parameter!] ?? '') : (headers.get(header) ?? '');
  if (secret === '') return false;
  if (hash) return timingSafeEqual(sent, await keyedHash(secret, bytes));
  if (hmacPrefix === undefined) return timingSafeEqual(sent, secret);
  const part = partsOf(sent);
  const time = signed?.parts
    ? (part.get(signed.parts.time) ?? '')
    : (headers.get(signed?.timeHeader ?? '-') ?? '');
  const signature = signed?.parts ? (part.get(signed.parts.signature) ?? '') : sent;
  if (signed && !(Math.abs(now / 1000 - Number(time)) <= LONGEST_DELAY)) return false;
  const hasher = (await createHMAC(createSHA256(), secret)).init();
  if (signed) hasher.update(signed.before.replace('{time}', time));
  hasher.update(bytes);
  const digest = encoding === 'base64' ? toBase64(hasher.digest('binary')) : hasher.digest('hex');
  return timingSafeEqual(signature, hmacPrefix + digest);
}

async function keyedHash(secret: string, bytes: Uint8Array): Promise<string> {
  const hasher = (await createSHA256()).init();
  return hasher.update(secret).update(bytes).digest('hex');
}

/** `t=1,v1=ab` -> `t` and `v1` */
function partsOf(header: string): Map<string, string> {
  const pairs = header.split(',').map((text) => text.trim().split(/=(.*)/s, 2));
  return new Map(pairs.map(([name = '', value = '']) => [name, value]));
}
