import { openDB } from 'idb';
import type { Keys } from '#core/host';

const STORE = 'keys';
const NAME = 'encryption';

/**
 * The installation's key in a database of its own. It cannot be taken out of the browser: not by a page, and not with a
 * copy of what is stored.
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
    const known = (await db.get(STORE, NAME)) as CryptoKey | undefined;
    if (known) return known;
    const made = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, [
      'encrypt',
      'decrypt',
    ]);
    // Another tab may have made one in the meantime, as leadership changed: the first one counts.
    const { store, done } = db.transaction(STORE, 'readwrite');
    const earlier = (await store.get(NAME)) as CryptoKey | undefined;
    if (!earlier) await store.put(made, NAME);
    await done;
    return earlier ?? made;
  } finally {
    db.close();
  }
}
