import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder {
  /** The path of a file in it. */
  at(name: string): string;
  remove(): Promise<void>;
}

export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'tabd-media-'));
  return { at: (name) => join(path, name), remove: () => rm(path, { recursive: true, force: true }) };
}

/** A folder for the time of some work. */
export async function withFolder<T>(work: (folder: TemporaryFolder) => Promise<T>): Promise<T> {
  const folder = await temporaryFolder();
  try {
    return await work(folder);
  } finally {
    await folder.remove();
  }
}
