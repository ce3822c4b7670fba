import { expect, test } from 'vitest';
import { CHUNK_BREAK, singleChunk, toChunks, type WeightedToken } from './token-chunks.ts';

/** `count` tokens that belong together. */
const part = (count: number, token = 5): WeightedToken[] => new Array(count).fill({ token, weight: 1 });
/** Chunks of 10 tokens from 1 to 2, filled up with 0. */
const options = { start: 1, end: 2, pad: 0, length: 10 };
const digits = (chunks: WeightedToken[][]) => chunks.map((chunk) => chunk.map(({ token }) => token).join(''));

test('chunks are filled up, and an empty prompt has one', () => {
  expect(digits(toChunks([], options))).toEqual(['1200000000']);
  expect(digits(toChunks([part(3)], options))).toEqual(['1555200000']);
  expect(digits(toChunks([part(8)], options))).toEqual(['1555555552']);
});

test('parts of fewer than 8 tokens are not split', () => {
  expect(digits(toChunks([part(5), part(5, 6)], options))).toEqual(['1555552000', '1666662000']);
  expect(digits(toChunks([part(2), part(7, 6)], options))).toEqual(['1552000000', '1666666620']);
});

test('parts of 8 tokens and more are split', () => {
  expect(digits(toChunks([part(5), part(8, 6)], options))).toEqual(['1555556662', '1666662000']);
  expect(digits(toChunks([part(20)], options))).toEqual(['1555555552', '1555555552', '1555520000']);
});

test('a part that no chunk holds is split whatever its length', () => {
  expect(digits(toChunks([part(5)], { ...options, length: 5 }))).toEqual(['15552', '15520']);
});

test('weights stay with their tokens; start, end and pad are neutral', () => {
  const [chunk] = toChunks([[{ token: 5, weight: 1.5 }]], { ...options, length: 4 });
  expect(chunk!.map(({ weight }) => weight)).toEqual([1, 1.5, 1, 1]);
});

test('a chunk break closes the chunk', () => {
  expect(digits(toChunks([part(1), CHUNK_BREAK, part(1, 6)], options))).toEqual(['1520000000', '1620000000']);
  expect(digits(toChunks([CHUNK_BREAK], options))).toHaveLength(2);
});

test('a single chunk has no start and ignores breaks', () => {
  const chunk = singleChunk([part(1), CHUNK_BREAK, part(1, 6)], { end: 2, pad: 0, minLength: 0 });
  expect(digits([chunk])).toEqual(['562']);
});

test.each([
  [0, 0, '552'],
  [2, 0, '55200'],
  [2, 4, '55200'],
  [2, 7, '5520000'],
])('a single chunk with %i pads and at least %i tokens is %s', (padding, minLength, expected) => {
  expect(digits([singleChunk([part(2)], { end: 2, pad: 0, padding, minLength })])).toEqual([expected]);
});
