/** Encrypting by passphrase and by RSA, in the form that n8n 2.x writes and reads (its pull request 30540). */
import { gcm } from '@noble/ciphers/aes.js';
import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { scrypt } from 'hash-wasm';
import { decodeBase64, encodeBase64 } from '#core/http';
import { derOf } from '#core/webhooks/credentials/pem.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';

/** Web Crypto has no ChaCha20-Poly1305, and in some browsers no AES of 192 bits. */
const CIPHERS = {
  'aes-256-gcm': { key: 32, cipher: gcm },
  'aes-192-gcm': { key: 24, cipher: gcm },
  'aes-128-gcm': { key: 16, cipher: gcm },
  'chacha20-poly1305': { key: 32, cipher: chacha20poly1305 },
} as const;

export const CIPHER_NAMES = Object.keys(CIPHERS);

/** Lengths in bytes of what stands before the encrypted text: version, salt, start value, tag. */
const VERSION = 1;
const SALT = 16;
const IV = 12;
const TAG = 16;
const HEAD = 1 + SALT + IV + TAG;
/** 64 MiB and some tenths of a second for a key, so that guessing passphrases is slow. */
const SCRYPT = { costFactor: 65_536, blockSize: 8, parallelism: 1 };

const OAEP = { name: 'RSA-OAEP', hash: 'SHA-256' } as const;
/** What RSA-OAEP with SHA-256 takes of the bytes of its key. */
const OAEP_BYTES = 66;

const WRONG = 'Decryption failed: wrong passphrase, key, cipher, or corrupted payload';

/** Base64 of version 1, salt, start value, tag and encrypted text. */
export async function encryptBy(passphrase: string, cipherName: string, text: string): Promise<string> {
  const { key: length, cipher } = cipherOf(cipherName);
  const salt = crypto.getRandomValues(new Uint8Array(SALT));
  const iv = crypto.getRandomValues(new Uint8Array(IV));
  const sealed = cipher(await keyOf(passphrase, salt, length), iv).encrypt(new TextEncoder().encode(text));
  const body = sealed.length - TAG;
  const written = new Uint8Array(HEAD + body);
  written[0] = VERSION;
  written.set(salt, 1);
  written.set(iv, 1 + SALT);
  written.set(sealed.subarray(body), 1 + SALT + IV);
  written.set(sealed.subarray(0, body), HEAD);
  return encodeBase64(written);
}

/** Throws `NodeError` for what was not written by `encryptBy` with this passphrase and cipher. */
export async function decryptBy(passphrase: string, cipherName: string, base64: string): Promise<string> {
  const { key: length, cipher } = cipherOf(cipherName);
  const written = bytesOf(base64);
  if (written.length < HEAD) throw new NodeError('Ciphertext is malformed or truncated');
  const [version] = written;
  if (version !== VERSION) {
    const shown = Number(version).toString(16).padStart(2, '0');
    throw new NodeError(`Unsupported ciphertext version 0x${shown}`);
  }
  const salt = written.subarray(1, 1 + SALT);
  const iv = written.subarray(1 + SALT, 1 + SALT + IV);
  const sealed = new Uint8Array(written.length - HEAD + TAG);
  sealed.set(written.subarray(HEAD));
  sealed.set(written.subarray(1 + SALT + IV, HEAD), written.length - HEAD);
  const key = await keyOf(passphrase, salt, length);
  return opened(() => cipher(key, iv).decrypt(sealed));
}

/** Base64. RSA-OAEP with SHA-256 and a public key in PEM. */
export async function encryptWithKey(publicKey: string, text: string): Promise<string> {
  const key = await imported('spki', publicKey, 'encrypt');
  const plain = new TextEncoder().encode(text);
  const { modulusLength = 0 } = key.algorithm as { modulusLength?: number };
  if (plain.length > modulusLength / 8 - OAEP_BYTES) {
    throw new NodeError('Plaintext is too large for the RSA key. Use symmetric mode for larger data.');
  }
  return encodeBase64(new Uint8Array(await crypto.subtle.encrypt(OAEP, key, plain)));
}

/** Throws `NodeError` for what was not encrypted for this private key (PEM, without a passphrase). */
export async function decryptWithKey(privateKey: string, base64: string): Promise<string> {
  const key = await imported('pkcs8', privateKey, 'decrypt');
  const written = bytesOf(base64);
  return opened(async () => new Uint8Array(await crypto.subtle.decrypt(OAEP, key, written)));
}

function cipherOf(name: string) {
  if (Object.hasOwn(CIPHERS, name)) return CIPHERS[name as keyof typeof CIPHERS];
  throw new NodeError(`The cipher ${name} is not supported`, {
    description: `Choose one of ${CIPHER_NAMES.join(', ')}.`,
  });
}

async function keyOf(passphrase: string, salt: Uint8Array, hashLength: number): Promise<Uint8Array> {
  // Many items are many such moments: requests, and the one that stops this run, get their turn between them.
  await new Promise<void>((resolve) => setTimeout(resolve, 0));
  return scrypt({ password: passphrase, salt, hashLength, outputType: 'binary', ...SCRYPT });
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return decodeBase64(base64);
  } catch (cause) {
    throw new NodeError('Ciphertext is malformed or truncated', { cause });
  }
}

async function opened(decrypt: () => Uint8Array | Promise<Uint8Array>): Promise<string> {
  try {
    return new TextDecoder().decode(await decrypt());
  } catch (cause) {
    throw new NodeError(WRONG, { cause });
  }
}

async function imported(
  format: 'spki' | 'pkcs8',
  pem: string,
  use: 'encrypt' | 'decrypt',
): Promise<CryptoKey> {
  try {
    return await crypto.subtle.importKey(format, derOf(pem, 'RS256'), OAEP, false, [use]);
  } catch (cause) {
    throw new NodeError(`The ${format === 'spki' ? 'public' : 'private'} key could not be read`, {
      description: 'It must be an RSA key in PEM, without a passphrase.',
      cause,
    });
  }
}
