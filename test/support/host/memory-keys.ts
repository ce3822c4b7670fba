import type { Keys } from '#core/host';

/** A key that lasts as long as the test. */
export function memoryKeys(): Keys {
  let key: Promise<CryptoKey> | undefined;
  return {
    encryptionKey() {
      const bytes = crypto.getRandomValues(new Uint8Array(32));
      key ??= crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
      return key;
    },
  };
}
