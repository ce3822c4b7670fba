import { expect, it } from 'vitest';
import { baseName, isFolderName, joinPath, relativePath, splitAnnotation } from './paths.ts';

it.each([
  ['a/b', 'a/b'],
  ['a//b/', 'a/b'],
  ['./a/./b', 'a/b'],
  ['a/../b', 'b'],
  ['a\\b', 'a/b'],
  ['a\\..\\b', 'b'],
  ['..a/b..', '..a/b..'],
  ['', ''],
  ['.', ''],
  ['a/..', ''],
  ['..', undefined],
  ['a/../../b', undefined],
  ['a/..\\..\\b', undefined],
  ['/a', undefined],
  ['C:/a', undefined],
  ['c:a', undefined],
  ['a\0b', undefined],
])('relativePath(%j) is %j', (path, expected) => {
  expect(relativePath(path)).toBe(expected);
});

it('joinPath leaves out empty parts', () => {
  expect([joinPath('a', '', 'b/c'), joinPath('', ''), joinPath('a')]).toEqual(['a/b/c', '', 'a']);
});

it('baseName is the part after the last slash', () => {
  expect([baseName('a/b.png'), baseName('b.png'), baseName('a/')]).toEqual(['b.png', 'b.png', '']);
});

it.each([
  ['x.png [output]', { name: 'x.png', folder: 'output' }],
  ['a [b] [temp]', { name: 'a [b]', folder: 'temp' }],
  ['two\nlines [input]', { name: 'two\nlines', folder: 'input' }],
  ['x.png[output]', { name: 'x.png[output]' }],
  ['x.png [models]', { name: 'x.png [models]' }],
  ['x.png [output] ', { name: 'x.png [output] ' }],
])('splitAnnotation(%j) is %j', (annotatedName, expected) => {
  expect(splitAnnotation(annotatedName)).toEqual(expected);
});

it('isFolderName knows three folders', () => {
  const names = ['input', 'output', 'temp', 'models', 'Input', ''];
  expect(names.filter(isFolderName)).toEqual(['input', 'output', 'temp']);
});
