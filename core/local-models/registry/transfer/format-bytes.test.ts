import { expect, test } from 'vitest';
import { formatModelSize } from './format-bytes.ts';

test.each([
  [0, '0 MB'],
  [1, '1 MB'],
  [1_000_000, '1 MB'],
  [1_000_001, '2 MB'],
  [98_362_432, '99 MB'],
  [999_000_000, '999 MB'],
  [1_000_000_000, '1.0 GB'],
  [1_460_000_000, '1.5 GB'],
])('%i bytes are %s', (bytes, text) => {
  expect(formatModelSize(bytes)).toBe(text);
});
