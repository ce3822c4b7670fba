import { expect, test } from 'vitest';
import { FileMissing, pathParts } from './files.ts';

test.each([
  ['a', ['a']],
  ['output/sub/x.png', ['output', 'sub', 'x.png']],
  ['..a/.b./ c', ['..a', '.b.', ' c']],
])('%j has the parts %j', (path, parts) => expect(pathParts(path)).toEqual(parts));

test.each(['', '/', '/a', 'a/', 'a//b', '.', 'a/./b', '..', 'a/../b', 'a\0', 'a\\b'])(
  '%j could lead out of the tree',
  (path) => {
    expect(() => pathParts(path)).toThrow(
      new TypeError(`not a path inside this storage: ${JSON.stringify(path)}`),
    );
  },
);

test('a missing file names its path', () => {
  expect(new FileMissing('a/b')).toMatchObject({
    name: 'FileMissing',
    path: 'a/b',
    message: 'there is no file a/b',
  });
});
