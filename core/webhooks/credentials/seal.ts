/** Encrypts secrets in records: AES-GCM with the installation's key. */
import type { Keys } from '#core/host';
import { decodeBase64, encodeBase64 } from '#core/http';

/** Bytes of the initialisation vector, which precedes the cipher text. */
const IV = 12;

/**
 * @param context is not encrypted; only the same context opens the text again
 * @returns base64
 */
export async function seal(keys: Keys, text: string, context: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV));
  const encoder = new TextEncoder();
  const cipher = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv, additionalData: encoder.encode(context) },
    await keys.encryptionKey(),
    encoder.encode(text),
  );
  const sealed = new Uint8Array(IV + cipher.byteLength);
  sealed.set(iv);
  sealed.set(new Uint8Array(cipher), IV);
  return encodeBase64(sealed);
}

/** @throws Error if the key or the context differs */
export async function unseal(keys: Keys, sealed: string, context: string): Promise<string> {
  const bytes = decodeBase64(sealed);
  const plain = await crypto.subtle.decrypt(
    {
      name: 'AES-GCM',
      iv: bytes.slice(0, IV),
      additionalData: new TextEncoder().encode(context),
    },
    await keys.encryptionKey(),
    bytes.slice(IV),
  );
  return new TextDecoder().decode(plain);
}
