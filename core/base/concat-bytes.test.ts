import { expect, test } from 'vitest';
import { concatBytes } from './concat-bytes.ts';

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
