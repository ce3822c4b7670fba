/** Python packages for tests, installed to `.cache/python/` once for each checkout. Needs Python and pip. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('../../../.cache/python', import.meta.url));

export async function hasPython(): Promise<boolean> {
  try {
    await run('python3', ['-m', 'pip', '--version']);
    return true;
  } catch {
    return false;
  }
}

/** Returns the folder for PYTHONPATH of a package such as `ollama==0.6.3`, with further packages next to it. */
export async function pythonPackage(requirement: string, more: string[] = []): Promise<string> {
  const path = join(folder, requirement);
  if (existsSync(path)) return path;
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(folder, 'installing-'));
  try {
    await run('python3', ['-m', 'pip', 'install', '--quiet', '--target', work, requirement, ...more], {
      timeout: 300_000,
    });
    await rename(work, path);
  } catch (error) {
    await rm(work, { recursive: true, force: true });
    if (!existsSync(path)) throw error;
  }
  return path;
}

/** The output of a script, parsed as JSON. */
export async function python(script: string, args: string[], path: string): Promise<unknown> {
  const { stdout } = await run('python3', [script, ...args], {
    env: { ...process.env, PYTHONPATH: path },
    timeout: 100_000,
  });
  return JSON.parse(stdout);
}
