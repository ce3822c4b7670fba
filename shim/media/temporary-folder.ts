import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

export interface TemporaryFolder {
  /** The path of a file with this name in the folder. */
  at(name: string): string;
  remove(): Promise<void>;
}

/** Creates a folder in `parent`, which is created if it is missing. */
export async function temporaryFolder(parent: string): Promise<TemporaryFolder> {
  await mkdir(parent, { recursive: true });
  const path = await mkdtemp(join(parent, 'tabd-media-'));
  return { at: (name) => join(path, name), remove: () => rm(path, { recursive: true, force: true }) };
}

/** Runs `work` with a folder that is removed afterwards. */
export async function withFolder<T>(
  parent: string,
  work: (folder: TemporaryFolder) => Promise<T>,
): Promise<T> {
  const folder = await temporaryFolder(parent);
  try {
    return await work(folder);
  } finally {
    await folder.remove();
  }
}
