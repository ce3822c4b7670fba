import type { FileWriter } from '#core/host';
import { acquireLock } from '../blobs/partial-lock.ts';
import { storageError } from '../blobs/storage-full.ts';
import { moveHandle } from './move-handle.ts';

/** The folder of files that are not complete yet. It is never listed. */
export const UNFINISHED_FOLDER = '.unfinished';

/**
 * A writer of a file that appears at its destination when it is closed, complete.
 * @param destination the folder and name of the complete file; called on `close`
 */
export async function createFileWriter(
  root: FileSystemDirectoryHandle,
  scope: string,
  destination: () => Promise<{ parent: FileSystemDirectoryHandle; name: string }>,
): Promise<FileWriter> {
  const folder = await root.getDirectoryHandle(UNFINISHED_FOLDER, { create: true });
  await removeAbandoned(folder, scope);
  const temporaryName = crypto.randomUUID();
  const release = await acquireLock(lockOf(scope, temporaryName));
  const cleanUp = async () => {
    await folder.removeEntry(temporaryName).catch(() => {});
    release();
  };
  try {
    const handle = await folder.getFileHandle(temporaryName, { create: true });
    const writer = await handle.createWritable();
    let isClosed = false;
    let hasEnded = false;
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
          const { parent, name } = await destination();
          await moveHandle(handle, folder, parent, name);
        } catch (error) {
          throw storageError(error);
        }
        hasEnded = true;
        await cleanUp();
      },
      async abort() {
        if (hasEnded) return;
        hasEnded = true;
        // A writer cannot be aborted after `close`, even if that failed.
        if (!isClosed) await writer.abort().catch(() => {});
        await cleanUp();
      },
    };
  } catch (error) {
    await cleanUp();
    throw storageError(error);
  }
}

const lockOf = (scope: string, name: string): string => `tabd:unfinished:${scope}:${name}`;

/** Removes the files of workers that ended before `close`. Such a file is one whose lock is free. */
async function removeAbandoned(folder: FileSystemDirectoryHandle, scope: string): Promise<void> {
  const names: string[] = [];
  for await (const name of folder.keys()) names.push(name);
  for (const name of names) {
    // Chromium stores the bytes of an open writer in a swap file with this suffix.
    const lockedName = name.replace(/\.crswap$/, '');
    await navigator.locks.request(lockOf(scope, lockedName), { ifAvailable: true }, async (lock) => {
      if (lock) await folder.removeEntry(name).catch(() => {});
    });
  }
}
