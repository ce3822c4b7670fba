import { openDB } from 'idb';
import type { Keys } from '#core/host';

const STORE = 'keys';
const NAME = 'encryption';

/**
 * The installation's encryption key, in a database of its own. The key is not extractable: pages can use it and cannot read
 * its bytes.
 */
export function installationKeys(scope: string): Keys {
  let key: Promise<CryptoKey> | undefined;
  return {
    encryptionKey() {
      key ??= load(`${scope}-keys`).catch((error) => {
        key = undefined;
        throw error;
      });
      return key;
    },
  };
}

async function load(database: string): Promise<CryptoKey> {
  const db = await openDB(database, 1, { upgrade: (opened) => void opened.createObjectStore(STORE) });
  try {
    const stored = (await db.get(STORE, NAME)) as CryptoKey | undefined;
    if (stored) return stored;
    const created = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, [
      'encrypt',
      'decrypt',
    ]);
    // Another tab may have created a key in the meantime. The first key counts.
    const { store, done } = db.transaction(STORE, 'readwrite');
    const earlier = (await store.get(NAME)) as CryptoKey | undefined;
    if (!earlier) await store.put(created, NAME);
    await done;
    return earlier ?? created;
  } finally {
    db.close();
  }
}
