/** Encryption by passphrase and by RSA, in the format of n8n 2.x (its pull request 30540). */
import { gcm } from '@noble/ciphers/aes.js';
import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { scrypt } from 'hash-wasm';
import { concatBytes } from '#core/base';
import { decodeBase64, encodeBase64 } from '#core/http';
import { derOf } from '#core/webhooks/credentials/pem.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';

/** Key lengths in bytes. Web Crypto has no ChaCha20-Poly1305, and in some browsers no AES of 192 bits. */
const CIPHERS = {
  'aes-256-gcm': { key: 32, cipher: gcm },
  'aes-192-gcm': { key: 24, cipher: gcm },
  'aes-128-gcm': { key: 16, cipher: gcm },
  'chacha20-poly1305': { key: 32, cipher: chacha20poly1305 },
} as const;

export const CIPHER_NAMES = Object.keys(CIPHERS);

/** The format's version, its first byte. */
const VERSION = 1;
/** Lengths in bytes of the parts before the encrypted text. */
const SALT = 16;
const IV = 12;
const TAG = 16;
const HEADER = 1 + SALT + IV + TAG;
/** 64 MiB and some tenths of a second for each key, so that guessing passphrases is slow. */
const SCRYPT = { costFactor: 65_536, blockSize: 8, parallelism: 1 };

const OAEP = { name: 'RSA-OAEP', hash: 'SHA-256' } as const;
/** The bytes of a key's length that RSA-OAEP with SHA-256 needs for itself. */
const OAEP_OVERHEAD = 66;

const DECRYPTION_FAILED = 'Decryption failed: wrong passphrase, key, cipher, or corrupted payload';

/** Base64 of the version, the salt, the initialization vector, the tag and the encrypted text. */
export async function encryptWithPassphrase(
  passphrase: string,
  cipherName: string,
  text: string,
): Promise<string> {
  const { key: length, cipher } = requireCipher(cipherName);
  const salt = crypto.getRandomValues(new Uint8Array(SALT));
  const iv = crypto.getRandomValues(new Uint8Array(IV));
  const key = await deriveKey(passphrase, salt, length);
  // The cipher appends the tag to the text, but the format has the tag first.
  const sealed = cipher(key, iv).encrypt(new TextEncoder().encode(text));
  const tagStart = sealed.length - TAG;
  const tag = sealed.subarray(tagStart);
  return encodeBase64(concatBytes([Uint8Array.of(VERSION), salt, iv, tag, sealed.subarray(0, tagStart)]));
}

/** @throws NodeError for text that `encryptWithPassphrase` did not write with this passphrase and cipher */
export async function decryptWithPassphrase(
  passphrase: string,
  cipherName: string,
  base64: string,
): Promise<string> {
  const { key: length, cipher } = requireCipher(cipherName);
  const payload = decodePayload(base64);
  if (payload.length < HEADER) throw new NodeError('Ciphertext is malformed or truncated');
  const [version] = payload;
  if (version !== VERSION) {
    const shown = Number(version).toString(16).padStart(2, '0');
    throw new NodeError(`Unsupported ciphertext version 0x${shown}`);
  }
  const salt = payload.subarray(1, 1 + SALT);
  const iv = payload.subarray(1 + SALT, 1 + SALT + IV);
  const tag = payload.subarray(1 + SALT + IV, HEADER);
  const key = await deriveKey(passphrase, salt, length);
  return decrypted(() => cipher(key, iv).decrypt(concatBytes([payload.subarray(HEADER), tag])));
}

/** Encrypts text by RSA-OAEP with SHA-256 and a public key in PEM. Returns base64. */
export async function encryptWithKey(publicKey: string, text: string): Promise<string> {
  const key = await importKey('spki', publicKey, 'encrypt');
  const plain = new TextEncoder().encode(text);
  const { modulusLength = 0 } = key.algorithm as { modulusLength?: number };
  if (plain.length > modulusLength / 8 - OAEP_OVERHEAD) {
    throw new NodeError('Plaintext is too large for the RSA key. Use symmetric mode for larger data.');
  }
  return encodeBase64(new Uint8Array(await crypto.subtle.encrypt(OAEP, key, plain)));
}

/** @throws NodeError for text that was not encrypted for this private key (PEM, without a passphrase) */
export async function decryptWithKey(privateKey: string, base64: string): Promise<string> {
  const key = await importKey('pkcs8', privateKey, 'decrypt');
  const payload = decodePayload(base64);
  return decrypted(async () => new Uint8Array(await crypto.subtle.decrypt(OAEP, key, payload)));
}

function requireCipher(name: string) {
  if (Object.hasOwn(CIPHERS, name)) return CIPHERS[name as keyof typeof CIPHERS];
  throw new NodeError(`The cipher ${name} is not supported`, {
    description: `Choose one of ${CIPHER_NAMES.join(', ')}.`,
  });
}

async function deriveKey(passphrase: string, salt: Uint8Array, hashLength: number): Promise<Uint8Array> {
  // Yields to the event loop: with many items, other requests and a cancel of this run must not wait for all keys.
  await new Promise<void>((resolve) => setTimeout(resolve, 0));
  return scrypt({ password: passphrase, salt, hashLength, outputType: 'binary', ...SCRYPT });
}

function decodePayload(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return decodeBase64(base64);
  } catch (cause) {
    throw new NodeError('Ciphertext is malformed or truncated', { cause });
  }
}

async function decrypted(decrypt: () => Uint8Array | Promise<Uint8Array>): Promise<string> {
  try {
    return new TextDecoder().decode(await decrypt());
  } catch (cause) {
    throw new NodeError(DECRYPTION_FAILED, { cause });
  }
}

async function importKey(
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
