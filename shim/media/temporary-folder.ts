import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

export interface TemporaryFolder {
  /** The path of a file in it. */
  at(name: string): string;
  remove(): Promise<void>;
}

/** In another folder, which is made where it is missing. */
export async function temporaryFolder(parent: string): Promise<TemporaryFolder> {
  await mkdir(parent, { recursive: true });
  const path = await mkdtemp(join(parent, 'tabd-media-'));
  return { at: (name) => join(path, name), remove: () => rm(path, { recursive: true, force: true }) };
}

/** A folder for the time of some work. */
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
