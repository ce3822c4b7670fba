import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Keys } from '#core/host';

const BYTES = 32;

/**
 * The installation's encryption key, in a file that only its user can read. The first use creates it. With
 * `secret` (N8N_ENCRYPTION_KEY) the key is derived from that, and no file is created. `base64:` and the content of such a
 * file is that file's key.
 */
export function installationKeys(home: string, secret?: string): Keys {
  let key: Promise<CryptoKey> | undefined;
  return {
    encryptionKey() {
      key ??= (secret === undefined ? loadKey(join(home, 'encryption-key')) : importSecret(secret)).catch(
        (error) => {
          key = undefined;
          throw error;
        },
      );
      return key;
    },
  };
}

async function loadKey(file: string): Promise<CryptoKey> {
  const bytes = readKey(file) ?? createKey(file);
  if (bytes.length !== BYTES) {
    throw new Error(
      `${file} contains no key: restore the former file, or delete it and enter all credentials again`,
    );
  }
  return importKey(bytes);
}

function importKey(bytes: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', new Uint8Array(bytes), 'AES-GCM', false, ['encrypt', 'decrypt']);
}

async function importSecret(secret: string): Promise<CryptoKey> {
  return importKey(keyOf(secret));
}

function keyOf(secret: string): Buffer {
  if (secret.startsWith('base64:')) {
    const bytes = Buffer.from(secret.slice('base64:'.length).trim(), 'base64');
    if (bytes.length !== BYTES) throw new Error(`N8N_ENCRYPTION_KEY contains no key of ${BYTES} bytes`);
    return bytes;
  }
  return createHash('sha256').update(secret).digest();
}

function readKey(file: string): Buffer | undefined {
  try {
    return Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function createKey(file: string): Buffer {
  const bytes = randomBytes(BYTES);
  writeFileSync(file, `${bytes.toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  return bytes;
}
