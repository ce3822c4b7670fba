import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FileMissing } from '#core/host';
import { filesBelow } from '#core/image-workflows/files/files-below.ts';
import { createLog } from '../host/log.ts';
import { DiskFiles } from './disk-files.ts';
import { ForeignFolder } from './foreign-folder.ts';
import { MountedFiles } from './mounted-files.ts';

let place: string;
let files: MountedFiles;
let lines: string[];
beforeEach(async () => {
  place = mkdtempSync(join(tmpdir(), 'tabd-mounted-'));
  lines = [];
  mkdirSync(join(place, 'ui/loras/sub'), { recursive: true });
  writeFileSync(join(place, 'ui/loras/sub/a.safetensors'), 'abc');
  writeFileSync(join(place, 'secret'), 'secret');
  const log = createLog({ write: (line) => lines.push(line) });
  const mounts = new Map([
    ['ui', new ForeignFolder(join(place, 'ui'), log)],
    ['late', new ForeignFolder(join(place, 'late'), log)],
    ['file', new ForeignFolder(join(place, 'secret'), log)],
  ]);
  files = new MountedFiles(new DiskFiles(join(place, 'home')), mounts);
  await files.write('models/own', new Uint8Array(1));
});
afterEach(() => rmSync(place, { recursive: true }));

const below = async (folder: string) =>
  (await filesBelow(files, folder, { deep: true }))?.map(({ path }) => path).sort();

it('reads a mounted folder under its name', async () => {
  const path = 'external/ui/loras/sub/a.safetensors';
  expect(await below('external/ui')).toEqual([path]);
  expect(await files.stat(path)).toMatchObject({ path, kind: 'file', size: 3 });
  expect(await files.stat('external/ui')).toMatchObject({ path: 'external/ui', kind: 'folder' });
  expect(await files.names('external/ui/loras')).toEqual(['sub']);
  expect(new TextDecoder().decode(await files.read(path, 1, 3))).toBe('bc');
  expect(await new Response(await files.body(path)).text()).toBe('abc');
  expect(files.pathOf(path)).toBe(join(place, 'ui/loras/sub/a.safetensors'));
  expect(files.pathOf('models/own')).toBe(join(place, 'home/models/own'));
});

it('keeps the tree of the home as it is', async () => {
  expect(await files.names('')).toEqual(['models']);
  expect(await below('models')).toEqual(['models/own']);
  expect(await files.stat('external')).toBeUndefined();
  expect(await files.list('external/unknown')).toBeUndefined();
});

it('a folder that appears later is there at the next call', async () => {
  expect(await files.list('external/late')).toBeUndefined();
  mkdirSync(join(place, 'late'));
  writeFileSync(join(place, 'late/b'), '');
  expect(await files.names('external/late')).toEqual(['b']);
});

it('never writes into a mounted folder', async () => {
  const path = 'external/ui/loras/sub/a.safetensors';
  const message = /belongs to another program: tabd only reads it/;
  await expect(files.write(path, new Uint8Array())).rejects.toThrow(message);
  await expect(files.create(path)).rejects.toThrow(message);
  await expect(files.makeFolder('external/ui/x')).rejects.toThrow(message);
  await expect(files.delete(path)).rejects.toThrow(message);
  await expect(files.move(path, 'models/x')).rejects.toThrow(message);
  await expect(files.move('models/own', 'external/ui/x')).rejects.toThrow(message);
  expect(await below('external/ui')).toEqual([path]);
});

it('no path leads out of a mounted folder', async () => {
  for (const path of [
    'external/ui/../secret',
    'external/ui/./loras',
    'external/ui//loras',
    'external/ui/..\\x',
  ]) {
    await expect(files.read(path)).rejects.toThrow(TypeError);
    await expect(files.stat(path)).rejects.toThrow(TypeError);
    await expect(files.names(path)).rejects.toThrow(TypeError);
  }
});

it('follows links, and ends at those that lead back', async () => {
  mkdirSync(join(place, 'disk/deep'), { recursive: true });
  writeFileSync(join(place, 'disk/deep/c'), '');
  symlinkSync(join(place, 'disk'), join(place, 'ui/linked'));
  symlinkSync(place, join(place, 'ui/loras/up'));
  symlinkSync('.', join(place, 'ui/loras/here'));
  symlinkSync(join(place, 'ui/loras'), join(place, 'ui/loras/sub/again'));
  symlinkSync(join(place, 'ui'), join(place, 'disk/back'));
  symlinkSync('self', join(place, 'ui/self'));
  symlinkSync('nowhere', join(place, 'ui/broken'));
  expect(await below('external/ui')).toEqual([
    'external/ui/linked/deep/c',
    'external/ui/loras/sub/a.safetensors',
  ]);
});

it('a folder that cannot be read is empty, and the log names it once', async () => {
  symlinkSync('self', join(place, 'ui/self'));
  expect(await files.names('external/ui/self')).toBeUndefined();
  expect(await files.stat('external/ui/self')).toBeUndefined();
  expect(await files.stat('external/ui/self')).toBeUndefined();
  expect(lines.filter((line) => line.includes(join(place, 'ui/self')))).toHaveLength(1);
  expect(await files.list('external/file')).toBeUndefined();
  await expect(files.read('external/ui/none')).rejects.toThrow(FileMissing);
});
