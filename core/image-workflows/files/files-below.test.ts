import { expect, it } from 'vitest';
import { MemoryFiles } from '#workers/host/files/memory-files.ts';
import { filesBelow } from './files-below.ts';

const files = new MemoryFiles();
for (const path of ['top/a', 'top/sub/b', 'top/sub/deep/c', 'other/d'])
  await files.write(path, new Uint8Array(1));
const pathsBelow = async (folder: string, options: Parameters<typeof filesBelow>[2]) =>
  (await filesBelow(files, folder, options))?.map(({ path }) => path);

it('lists the files of the folder alone, or of its subfolders too', async () => {
  expect(await pathsBelow('top', { deep: false })).toEqual(['top/a']);
  expect(await pathsBelow('top', { deep: true })).toEqual(['top/a', 'top/sub/b', 'top/sub/deep/c']);
});

it('lists folders before their content when asked to', async () => {
  expect(await pathsBelow('top', { deep: true, withFolders: true })).toEqual([
    ...['top/a', 'top/sub', 'top/sub/b', 'top/sub/deep', 'top/sub/deep/c'],
  ]);
  expect(await pathsBelow('top', { deep: false, withFolders: true })).toEqual(['top/a', 'top/sub']);
});

it('is undefined without the folder', async () => {
  expect(await pathsBelow('none', { deep: true })).toBeUndefined();
});
