import { beforeEach, expect, it } from 'vitest';
import { MemoryFiles } from '#workers/host/files/memory-files.ts';
import { JsonFiles } from './json-files.ts';

let files: MemoryFiles;
let jsonFiles: JsonFiles;
beforeEach(() => {
  files = new MemoryFiles();
  jsonFiles = new JsonFiles(files);
});
const text = (path: string) => files.read(path).then((bytes) => new TextDecoder().decode(bytes));

it('reads an object, and everything else as empty', async () => {
  const write = (path: string, content: string) => files.write(path, new TextEncoder().encode(content));
  await write('a.json', '{"b": 1, "a": 8.0}');
  await write('list.json', '[1]');
  await write('damaged.json', '{');
  await write('folder/x', '');
  expect(await jsonFiles.read('a.json')).toEqual(
    new Map<string, unknown>([
      ['b', 1n],
      ['a', 8],
    ]),
  );
  for (const path of ['list.json', 'damaged.json', 'folder', 'none'])
    expect(await jsonFiles.read(path)).toEqual(new Map());
});

it('writes what a change returns, as Python prints it', async () => {
  await jsonFiles.update('a.json', (object) => object.set('x', 8));
  expect(await text('a.json')).toBe('{"x": 8.0}');
});

it('loses none of two changes at once', async () => {
  const add = (key: string) => jsonFiles.update('a.json', (object) => new Map([...object, [key, true]]));
  await Promise.all(['a', 'b', 'c'].map(add));
  expect([...(await jsonFiles.read('a.json')).keys()]).toEqual(['a', 'b', 'c']);
});

it('rejects with what a change throws, writes nothing, and takes the next change', async () => {
  const refused = jsonFiles.update('a.json', () => {
    throw new Error('no');
  });
  await expect(refused).rejects.toThrow('no');
  expect(await files.stat('a.json')).toBeUndefined();
  await jsonFiles.update('a.json', (object) => object.set('x', 1n));
  expect(await text('a.json')).toBe('{"x": 1}');
});
