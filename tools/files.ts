import { cp, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder for all files but the service worker, which is next to the pages because its folder is its scope. */
export const FOLDER = 'tabd';
export const SERVICE_WORKER = 'sw.js';

/** The package's folder `dist`, which contains this file. */
export const distFolder = (): string => fileURLToPath(new URL('..', import.meta.url));

/** The files of `dist` that browsers load, as paths with `/`: without tools, types and the app. */
export async function servedFiles(from = distFolder()): Promise<string[]> {
  const entries = await readdir(from, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const assets = await readdir(join(from, 'assets'));
  return [...files, ...assets.map((name) => `assets/${name}`)].filter((path) => /\.(js|wasm)$/.test(path));
}

export interface CopyResult {
  /** The copied files, as paths relative to `to`, with `/`. */
  files: string[];
  bytes: number;
}

/**
 * Copies the files that a site must serve into the folder `to`. `sw.js` is left out if the site has a service
 * worker of its own. Assets of another version in the folder `tabd` are deleted. Rejects if `to` is not a
 * folder.
 */
export async function copyFiles(
  to: string,
  { from = distFolder(), serviceWorker = true } = {},
): Promise<CopyResult> {
  if (!(await stat(to).catch(() => undefined))?.isDirectory()) {
    throw new Error(`${to} is not a folder: name the one that your site serves`);
  }
  const served = await servedFiles(from);
  // Names of assets contain a hash, so a copy alone would leave the assets of an older version in place.
  await rm(join(to, FOLDER, 'assets'), { recursive: true, force: true });
  await mkdir(join(to, FOLDER, 'assets'), { recursive: true });
  const copies: [string, string][] = served.map((path) => [path, `${FOLDER}/${path}`]);
  if (serviceWorker) copies.push([SERVICE_WORKER, SERVICE_WORKER]);
  let bytes = 0;
  for (const [source, target] of copies) {
    await cp(join(from, source), join(to, target));
    bytes += (await stat(join(to, target))).size;
  }
  return { files: copies.map(([, target]) => target), bytes };
}
