import { cp, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The service worker lies beside the site's pages, which are its scope; everything else lies in this folder. */
export const FOLDER = 'tabd';
export const SERVICE_WORKER = 'sw.js';

/** The package's `dist`, of which this file is a part. */
export const dist = (): string => fileURLToPath(new URL('..', import.meta.url));

/** What of `dist` a browser may ask for, as paths with `/`: not the tools, the types and the app. */
export async function servedFiles(from = dist()): Promise<string[]> {
  const entries = await readdir(from, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const assets = await readdir(join(from, 'assets'));
  return [...files, ...assets.map((name) => `assets/${name}`)].filter((path) => /\.(js|wasm)$/.test(path));
}

export interface CopyResult {
  /** Paths in `to`, with `/`. */
  files: string[];
  bytes: number;
}

/**
 * Copies what a site has to serve into `to`: `sw.js` (unless the site has a service worker of its own) and the folder
 * `tabd`, in which files of another version are replaced. Throws when `to` is no folder.
 */
export async function copyFiles(
  to: string,
  { from = dist(), serviceWorker = true } = {},
): Promise<CopyResult> {
  if (!(await stat(to).catch(() => undefined))?.isDirectory()) {
    throw new Error(`${to} is no folder: name the one whose files your site serves`);
  }
  const served = await servedFiles(from);
  // Names of assets hold their content: those of an older version would stay for ever.
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
