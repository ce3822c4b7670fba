import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { makeFolders } from './make-folders.ts';

const root = mkdtempSync(join(tmpdir(), 'tabd-folders-'));
afterAll(() => rmSync(root, { recursive: true }));

it('creates folders that are missing, and leaves others as they are', async () => {
  const path = join(root, 'a', 'b', 'c');
  await Promise.all([makeFolders(path), makeFolders(path), makeFolders(join(root, 'a', 'd'))]);
  await makeFolders(path);
  expect(statSync(path).isDirectory()).toBe(true);
});

it('fails where a file is in the way', async () => {
  writeFileSync(join(root, 'file'), '');
  await expect(makeFolders(join(root, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeFolders(join(root, 'file', 'x'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});
