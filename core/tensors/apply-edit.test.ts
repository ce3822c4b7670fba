import { expect, test } from 'vitest';
import { applyEdit } from './apply-edit.ts';

const file = () => Uint8Array.from([1, 2, 3, 4]);
const edit = (start: number, ...bytes: number[]) => ({ start, bytes: Uint8Array.from(bytes) });

test('replaces bytes in the same array', () => {
  const bytes = file();
  expect(applyEdit(bytes, edit(2, 8, 9))).toBe(bytes);
  expect([...bytes]).toEqual([1, 2, 8, 9]);
});

test.each([
  ['past the end', edit(3, 8, 9), [1, 2, 3, 8, 9]],
  ['at the end', edit(4, 8), [1, 2, 3, 4, 8]],
])('an edit %s makes a longer array and leaves the old one', (_, change, expected) => {
  const bytes = file();
  expect([...applyEdit(bytes, change)]).toEqual(expected);
  expect([...bytes]).toEqual([1, 2, 3, 4]);
});

test('an edit behind the end is an error', () => {
  expect(() => applyEdit(file(), edit(5, 1))).toThrow(
    new RangeError('an edit of a model lies outside of its file'),
  );
});
