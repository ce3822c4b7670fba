import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyFiles } from './files.ts';

let folder: string;
let from: string;
let site: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tabd-copy-'));
  from = join(folder, 'dist');
  site = join(folder, 'public');
  for (const path of ['assets', 'tools', 'types', 'app']) await mkdir(join(from, path), { recursive: true });
  await mkdir(site);
  const files = ['index.js', 'sw.js', 'notes.txt', 'assets/engine-1.wasm', 'tools/cli.js', 'app/index.html'];
  for (const path of files) await writeFile(join(from, path), path);
});
afterEach(() => rm(folder, { recursive: true }));

const inSite = async () =>
  (await readdir(site, { recursive: true })).filter((path) => /\.\w+$/.test(path)).sort();

test('the files of the browser are copied, with the service worker next to the pages', async () => {
  const { files, bytes } = await copyFiles(site, { from });
  expect(await inSite()).toEqual(['sw.js', 'tabd/assets/engine-1.wasm', 'tabd/index.js', 'tabd/sw.js']);
  expect(files.toSorted()).toEqual(await inSite());
  expect(bytes).toBe('assets/engine-1.wasmindex.jssw.jssw.js'.length);
});

test('a site with a service worker of its own keeps it', async () => {
  await writeFile(join(site, 'sw.js'), 'mine');
  await copyFiles(site, { from, serviceWorker: false });
  expect(await readFile(join(site, 'sw.js'), 'utf8')).toBe('mine');
});

test('assets of an older version are deleted, files of the site remain', async () => {
  await mkdir(join(site, 'tabd/assets'), { recursive: true });
  for (const path of ['tabd/assets/engine-0.wasm', 'index.html']) await writeFile(join(site, path), 'old');
  await copyFiles(site, { from });
  expect(await inSite()).not.toContain('tabd/assets/engine-0.wasm');
  expect(await inSite()).toContain('index.html');
});

test('the error names a missing folder', async () => {
  await expect(copyFiles(join(folder, 'pubic'), { from })).rejects.toThrow('pubic is not a folder');
});
