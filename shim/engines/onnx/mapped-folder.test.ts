import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mappedFolder } from './mapped-folder.ts';

let place: string;
beforeAll(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'tabd-mapped-')));
  for (const folder of ['a', 'b', 'blobs', 'more']) mkdirSync(at(folder));
  for (const file of ['a/w', 'a/x', 'blobs/1', 'blobs/2', 'more/3']) writeFileSync(at(file), '');
  symlinkSync('x', at('a/inside'));
  symlinkSync('../blobs/1', at('b/w'));
  symlinkSync('../blobs/2', at('b/x'));
  symlinkSync('../more/3', at('b/y'));
  symlinkSync('a', at('linked'));
});
afterAll(() => rmSync(place, { recursive: true }));

const at = (path: string) => join(place, path);
const map = (...files: string[]) =>
  mappedFolder(files.map((path) => ({ name: path.slice(path.indexOf('/') + 1), file: at(path), size: 1 })));
const mapping = (folder: string) => ({
  extra: { session: { model_external_initializers_file_folder_path: at(folder) } },
});

test.each([
  ['files of one folder', ['a/w', 'a/x'], 'a'],
  ['a link inside of the folder', ['a/w', 'a/inside'], 'a'],
  ['a linked folder', ['linked/w'], 'linked'],
])('maps %s', (_, files, folder) => {
  expect(map(...files)).toEqual({ mapping: mapping(folder) });
});

test('maps the targets of links that lead out of the folder, by their names', () => {
  const mappedNames = new Map([
    ['w', '1'],
    ['x', '2'],
  ]);
  expect(map('b/w', 'b/x')).toEqual({ mapping: mapping('blobs'), mappedNames });
});

test.each([
  ['no files', []],
  ['targets in several folders', ['b/w', 'b/y']],
  ['files of several folders', ['a/w', 'b/x']],
  ['a missing file', ['a/none']],
])('does not map %s', (_, files) => expect(map(...files)).toEqual({}));

test('maps a file under another name', () => {
  expect(mappedFolder([{ name: 'model', file: at('a/w'), size: 1 }])).toEqual({
    mapping: mapping('a'),
    mappedNames: new Map([['model', 'w']]),
  });
});
