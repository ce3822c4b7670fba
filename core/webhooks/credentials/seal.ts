/** Encrypts what must not lie open in the records. */
import type { Keys } from '#core/host';
import { decodeBase64, encodeBase64 } from '#core/http';

const IV = 12;

/** Base64 of the random start and the cipher text. `context`: only with the same one it can be opened again. */
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

/** Throws when it was sealed with another key or for something else. */
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
