import { deleteDB } from 'idb';

/** The names that tabd stores data under on this origin. The folder lies in the origin private file system. */
const DATABASES = ['tabd', 'tabd-keys'];
const FOLDER = 'tabd';
const OWN_NAMES = /^tabd\b/;
/** A terminated worker may still hold its files for a moment: the most attempts, and milliseconds between them. */
const MAX_TRIES = 20;
const RETRY_DELAY = 250;
/** Milliseconds that other tabs have to close a database. */
const DATABASE_TIMEOUT = 10_000;

export const WIPE_CHANNEL = 'tabd-wipe';

/**
 * Deletes all data that tabd has stored in this browser. Stop the server of this page and close the chats first.
 * @param held creates the error to throw when another tab keeps the named database open
 */
export async function wipeStorage(chats: string, held: (what: string) => Error): Promise<void> {
  const channel = new BroadcastChannel(WIPE_CHANNEL);
  channel.postMessage('wipe');
  channel.close();
  for (const name of [...DATABASES, chats])
    await withTimeout(DATABASE_TIMEOUT, deleteDB(name), () => held(name));
  await removeFolder();
  if ('caches' in globalThis)
    for (const name of await caches.keys()) if (OWN_NAMES.test(name)) await caches.delete(name);
  for (const storage of [localStorage, sessionStorage])
    for (const key of Object.keys(storage)) if (OWN_NAMES.test(key)) storage.removeItem(key);
  const registration = await navigator.serviceWorker?.getRegistration();
  await registration?.unregister();
}

async function removeFolder(): Promise<void> {
  if (!navigator.storage?.getDirectory) return;
  const root = await navigator.storage.getDirectory();
  for (let tries = 1; ; tries++) {
    try {
      await root.removeEntry(FOLDER, { recursive: true });
      return;
    } catch (error) {
      if ((error as DOMException).name === 'NotFoundError') return;
      if (tries === MAX_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY));
    }
  }
}

async function withTimeout<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
