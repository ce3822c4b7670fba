import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../base/usage-error.ts';

/** The least number of characters. Shorter keys can be guessed. */
const MIN_LENGTH = 16;

/** Parses the list of `--api-key=A,B` or TABD_API_KEYS. `source` names it in errors. @throws UsageError */
export function parseApiKeys(list: string, source: string): string[] {
  const keys = list
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
  for (const key of keys) {
    if (key.length < MIN_LENGTH) {
      throw new UsageError(
        `${source}: a key has at least ${MIN_LENGTH} characters. --api-key alone makes a good one`,
      );
    }
    if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError(`${source}: a key is made of ASCII characters`);
  }
  if (keys.length === 0) throw new UsageError(`${source} names no key`);
  return keys;
}

/** The installation's own key, in a file that only its user can read. The first call creates it. */
export function storedApiKey(home: string): { key: string; file: string; isNew: boolean } {
  const file = join(home, 'api-key');
  try {
    const key = readFileSync(file, 'utf8').trim();
    if (key.length >= MIN_LENGTH) return { key, file, isNew: false };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const key = `tabd-${randomBytes(24).toString('base64url')}`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return { key, file, isNew: true };
}

/**
 * The key that a request carries: `Authorization: Bearer KEY`, the password of `Authorization: Basic`
 * (addresses such as `http://me:KEY@host:8188`), or `x-api-key: KEY`.
 */
export function keyInHeaders(headers: Headers): string | undefined {
  const [, scheme = '', value = ''] = /^(\S+)\s+(\S+)\s*$/.exec(headers.get('authorization') ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() === 'basic') {
    const pair = Buffer.from(value, 'base64').toString('utf8');
    return pair.slice(pair.indexOf(':') + 1);
  }
  return headers.get('x-api-key')?.trim() || undefined;
}

/** Keys are compared by digest, so that the time of a comparison reveals nothing about a key. */
export function keyDigest(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}
