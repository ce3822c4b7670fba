import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { belongs, DONE, WORK } from './contents.ts';

/**
 * Ends a restore that was cut off, by whoever opens the home next (and holds its lock): a backup that had been read to
 * its end takes the place of what was there, another one is forgotten. Can itself be cut off anywhere and done again.
 */
export async function finishRestore(home: string): Promise<void> {
  const work = join(home, WORK);
  await rm(join(home, DONE), { recursive: true, force: true });
  if (!existsSync(work)) return;
  if (existsSync(join(work, 'ready'))) {
    const old = join(work, 'old');
    const cleared = join(work, 'cleared');
    if (!existsSync(cleared)) {
      await mkdir(old, { recursive: true });
      for (const name of await readdir(home)) {
        if (belongs(name)) await rename(join(home, name), join(old, name));
      }
      // Else the new records would be read with the changes of the old ones.
      for (const end of ['-wal', '-shm']) await rm(join(home, `records.sqlite${end}`), { force: true });
      await writeFile(cleared, '', { flush: true });
    }
    const fresh = join(work, 'new');
    for (const name of await readdir(fresh)) await rename(join(fresh, name), join(home, name));
    // What is left of the work says nothing any more, whatever of it goes first.
    await rename(work, join(home, DONE));
  }
  await rm(work, { recursive: true, force: true });
  await rm(join(home, DONE), { recursive: true, force: true });
}
