/** The image model of a new home, so that graphs run at once. It comes with the page and needs no network. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { FILE_LIST } from '#core/local-models';

/** Name of the model in the lists of checkpoints. */
export const FIRST_CHECKPOINT = 'emoji-128';

/**
 * Copies the image model into a home that has no folder for checkpoints yet. Later starts find that folder, also when
 * the user has deleted the model. The folder appears at once with all files.
 *
 * @param app Folder of the built page, with its weights.
 * @returns Whether it was copied.
 */
export async function placeFirstCheckpoint(home: string, app: string | undefined): Promise<boolean> {
  const source = join(app ?? '', 'weights', FIRST_CHECKPOINT);
  const models = join(home, 'files', 'models');
  const checkpoints = join(models, 'checkpoints');
  if (!app || !existsSync(source) || existsSync(checkpoints)) return false;
  // The next start deletes what an interrupted one has left there.
  const copied = join(home, 'files', '.unfinished', randomUUID());
  try {
    await cp(source, join(copied, FIRST_CHECKPOINT), {
      recursive: true,
      filter: (path) => basename(path) !== FILE_LIST,
    });
    await mkdir(models, { recursive: true });
    await rename(copied, checkpoints);
    return true;
  } finally {
    await rm(copied, { recursive: true, force: true });
  }
}
