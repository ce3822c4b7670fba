import { expect, test } from 'vitest';
import { ModelCorrupt } from '#core/host';
import { readGgufHeader } from '#core/tensors';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';
import { arrayFilter, ggufMetadata } from './gguf-metadata.ts';
import { joinParts } from './join-parts.ts';

async function part(number: number | undefined, tensor: string, count = 2) {
  const split = number !== undefined && {
    'split.no': { type: 'uint16' as const, value: number },
    'split.count': { type: 'uint16' as const, value: count },
  };
  const bytes = tinyGguf({
    tensors: [{ name: tensor, shape: [32], type: 'F32' }],
    ...(split && { metadata: split }),
  });
  const header = await readGgufHeader(new Blob([bytes]).stream(), bytes.length, arrayFilter(false));
  return ggufMetadata(header, false);
}

test('the first part has the settings, and the parameters of all count', async () => {
  const parts = [await part(0, 'a'), await part(1, 'b')];
  const joined = joinParts(parts);
  expect(joined.tensors.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(joined.parameterCount).toBe(64);
  expect(joined.chatTemplate).toBe(parts[0]!.chatTemplate);
});

test.each([
  ['a missing part', () => Promise.all([part(0, 'a', 3), part(1, 'b', 3)]), /file 1 of 2 is part 1 of 3/],
  ['another order', () => Promise.all([part(1, 'b'), part(0, 'a')]), /file 1 of 2 is part 2 of 2/],
  ['a part twice', () => Promise.all([part(0, 'a'), part(0, 'a')]), /file 2 of 2 is part 1 of 2/],
  ['a whole file', () => Promise.all([part(0, 'a'), part(undefined, 'b')]), /file 2 of 2 is not a part/],
  ['tensors twice', () => Promise.all([part(0, 'a'), part(1, 'a')]), /the same tensors twice/],
])('%s is a damaged model', async (_what, parts, message) => {
  const read = await parts();
  expect(() => joinParts(read)).toThrow(ModelCorrupt);
  expect(() => joinParts(read)).toThrow(message);
});
