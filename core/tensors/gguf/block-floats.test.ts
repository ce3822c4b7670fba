import { expect, test } from 'vitest';
import { BLOCKS } from '#test/support/model-files/gguf-blocks.ts';
import { blockFloats, blockLayout } from './block-floats.ts';

test.each(BLOCKS)('$type gives the numbers of the package gguf', ({ type, bytes, numbers }) => {
  const { elements, bytes: size } = blockLayout(type)!;
  expect(bytes.length / size).toBe(numbers.length / elements);
  const found = blockFloats(bytes, type);
  expect(found.length).toBe(numbers.length);
  for (const [at, number] of numbers.entries()) {
    const block = at - (at % elements);
    const largest = Math.max(...numbers.subarray(block, block + elements).map(Math.abs));
    const tolerance = 1e-6 * Math.min(largest, Math.max(1, Math.abs(number)));
    expect(Math.abs(found[at]! - number), `${at}`).toBeLessThanOrEqual(tolerance);
  }
});

test('other types have no layout', () => {
  for (const type of ['F16', 'Q8_1', 'type_99', 'toString']) expect(blockLayout(type)).toBeUndefined();
});
