import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FINISHED_RESTORE_FOLDER, isBackedUp, RESTORE_FOLDER } from './contents.ts';

/**
 * Finishes an interrupted restore. The caller holds the lock of the home. A backup that was unpacked
 * completely replaces the files of the home; an incomplete one is deleted. This function may itself be
 * interrupted anywhere and repeated.
 */
export async function finishRestore(home: string): Promise<void> {
  const work = join(home, RESTORE_FOLDER);
  await rm(join(home, FINISHED_RESTORE_FOLDER), { recursive: true, force: true });
  if (!existsSync(work)) return;
  if (existsSync(join(work, 'ready'))) {
    const old = join(work, 'old');
    const cleared = join(work, 'cleared');
    if (!existsSync(cleared)) {
      await mkdir(old, { recursive: true });
      for (const name of await readdir(home)) {
        if (isBackedUp(name)) await rename(join(home, name), join(old, name));
      }
      // Otherwise SQLite would apply pending changes of the old records to the new ones.
      for (const end of ['-wal', '-shm']) await rm(join(home, `records.sqlite${end}`), { force: true });
      await writeFile(cleared, '', { flush: true });
    }
    const fresh = join(work, 'new');
    for (const name of await readdir(fresh)) await rename(join(fresh, name), join(home, name));
    // After this rename an interrupted deletion cannot be mistaken for an unfinished restore.
    await rename(work, join(home, FINISHED_RESTORE_FOLDER));
  }
  await rm(work, { recursive: true, force: true });
  await rm(join(home, FINISHED_RESTORE_FOLDER), { recursive: true, force: true });
}
