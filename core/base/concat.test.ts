import { expect, test } from 'vitest';
import { concatBytes, concatFloats } from './concat.ts';

test.each([
  ['no arrays', [], []],
  ['empty arrays between others', [[], [1, 2], [], [3], []], [1, 2, 3]],
])('joins %s', (_, parts, joined) => {
  expect([...concatBytes(parts.map((part) => Uint8Array.from(part)))]).toEqual(joined);
});

test('copies views of larger buffers, and fills its own buffer exactly', () => {
  const buffer = Uint8Array.from([1, 2, 3, 4, 5]);
  const joined = concatBytes([buffer.subarray(1, 3), buffer.subarray(4)]);
  buffer.fill(9);
  expect([...joined]).toEqual([2, 3, 5]);
  expect([joined.byteOffset, joined.buffer.byteLength]).toEqual([0, 3]);
});

test('joins floats', () => {
  const parts = [Float32Array.of(0.5), new Float32Array(), Float32Array.of(-1, 2)];
  expect(concatFloats(parts)).toEqual(Float32Array.of(0.5, -1, 2));
});
