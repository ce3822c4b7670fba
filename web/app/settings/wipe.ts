import { deleteDB } from 'idb';

/** What tabd stores under on this origin (workers/host): databases, folder of the private file system, caches. */
const DATABASES = ['tabd', 'tabd-keys'];
const FOLDER = 'tabd';
const OWN_NAMES = /^tabd\b/;
/** A worker that was just ended may hold its files for a moment. */
const MAX_TRIES = 20;
const RETRY_DELAY = 250;
/** Milliseconds that another tab gets to let go of a database. */
const DATABASE_TIMEOUT = 10_000;

export const WIPE_CHANNEL = 'tabd-wipe';

/** Deletes all that tabd has stored in this browser. Everything that uses it in this page has to be stopped before. */
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
