import type { FileWriter } from '#core/host';
import { acquireLock } from '../blobs/partial-lock.ts';
import { storageError } from '../blobs/storage-full.ts';

/** The folder where files grow until they are whole; never listed. */
export const UNFINISHED = '.unfinished';

/** Browsers have it, in the origin private file system, longer than their types do. */
type MovableHandle = FileSystemFileHandle & {
  move?(parent: FileSystemDirectoryHandle, name: string): Promise<void>;
};

/** `place`: where it goes when it is whole; its folders are made there. */
export async function growingFile(
  root: FileSystemDirectoryHandle,
  scope: string,
  place: () => Promise<{ parent: FileSystemDirectoryHandle; name: string }>,
): Promise<FileWriter> {
  const folder = await root.getDirectoryHandle(UNFINISHED, { create: true });
  await removeAbandoned(folder, scope);
  const own = crypto.randomUUID();
  const release = await acquireLock(lockOf(scope, own));
  const undo = async () => {
    await folder.removeEntry(own).catch(() => {});
    release();
  };
  try {
    const handle: MovableHandle = await folder.getFileHandle(own, { create: true });
    const writer = await handle.createWritable();
    let isClosed = false;
    let isOver = false;
    return {
      async write(start, bytes) {
        try {
          const data = bytes as Uint8Array<ArrayBuffer>;
          await writer.write({ type: 'write', position: start, data });
        } catch (error) {
          throw storageError(error);
        }
      },
      async close() {
        try {
          isClosed = true;
          await writer.close();
          const { parent, name } = await place();
          await moved(handle, parent, name);
        } catch (error) {
          throw storageError(error);
        }
        isOver = true;
        await undo();
      },
      async abort() {
        if (isOver) return;
        isOver = true;
        // One that a failure ended cannot be ended again.
        if (!isClosed) await writer.abort().catch(() => {});
        await undo();
      },
    };
  } catch (error) {
    await undo();
    throw storageError(error);
  }
}

async function moved(handle: MovableHandle, parent: FileSystemDirectoryHandle, name: string): Promise<void> {
  if (handle.move) {
    try {
      await handle.move(parent, name);
    } catch {
      // Not every browser moves a file over another.
      await parent.removeEntry(name).catch(() => {});
      await handle.move(parent, name);
    }
    return;
  }
  const target = await parent.getFileHandle(name, { create: true });
  try {
    await (await handle.getFile()).stream().pipeTo(await target.createWritable());
  } catch (error) {
    await parent.removeEntry(name).catch(() => {});
    throw error;
  }
}

const lockOf = (scope: string, name: string): string => `tabd:unfinished:${scope}:${name}`;

/** What tabs and workers that ended in the middle left behind: the lock of a file ends with its worker. */
async function removeAbandoned(folder: FileSystemDirectoryHandle, scope: string): Promise<void> {
  const names: string[] = [];
  for await (const name of folder.keys()) names.push(name);
  for (const name of names) {
    // Beside a file lies what its writer has written so far.
    const own = name.replace(/\.crswap$/, '');
    await navigator.locks.request(lockOf(scope, own), { ifAvailable: true }, async (lock) => {
      if (lock) await folder.removeEntry(name).catch(() => {});
    });
  }
}
