import { expect, test } from 'vitest';
import { overlap } from './overlap.ts';

test.each([
  ['', 'abc', 0],
  ['x', 'abc', 0],
  ['xa', 'abc', 1],
  ['xab', 'abc', 2],
  ['xabc', 'abc', 0],
  ['ab', 'abc', 2],
  ['abx', 'abc', 0],
  ['aa', 'aab', 2],
  ['aaa', 'aab', 2],
  ['a', '', 0],
  ['a', 'a', 0],
])('the end of %j may begin %j with %i characters', (text, word, length) => {
  expect(overlap(text, word)).toBe(length);
});
