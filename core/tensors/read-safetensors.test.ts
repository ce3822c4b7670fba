import { expect, test } from 'vitest';
import { ModelCorrupt } from '#core/host';
import { readSafetensors } from './read-safetensors.ts';

function fileOf(header: string | object, dataSize = 0, length?: number): Uint8Array {
  const json = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header));
  const file = new Uint8Array(8 + json.length + dataSize);
  new DataView(file.buffer).setBigUint64(0, BigInt(length ?? json.length), true);
  file.set(json, 8);
  return file;
}

const read = (file: Uint8Array, size = file.length) =>
  readSafetensors(size, async (start, end) => file.subarray(start, end));
const entry = (start: number, end: number, shape: unknown = [1]) => ({
  dtype: 'F32',
  shape,
  data_offsets: [start, end],
});

test('lists tensors with offsets from the beginning of the file, without the metadata', async () => {
  const header = { __metadata__: { format: 'pt' }, a: entry(0, 8, [2]), b: entry(8, 12, []) };
  const file = fileOf(header, 12);
  const dataStart = file.length - 12;
  expect(await read(file)).toEqual([
    { name: 'a', type: 'F32', shape: [2], start: dataStart, end: dataStart + 8 },
    { name: 'b', type: 'F32', shape: [], start: dataStart + 8, end: dataStart + 12 },
  ]);
});

test('reads a table from a view that does not begin its buffer', async () => {
  const file = fileOf({ a: entry(0, 4) }, 4);
  const larger = new Uint8Array(file.length + 3);
  larger.set(file, 3);
  expect(await read(larger.subarray(3))).toHaveLength(1);
});

test.each([
  ['nine bytes', new Uint8Array(9), 'it is too short for a safetensors file'],
  ['a table longer than the file', fileOf('{}', 0, 3), 'it is no safetensors file'],
  ['no JSON', fileOf('{"a"'), 'its table of tensors is no JSON'],
  [
    'a tensor without a type',
    fileOf({ a: { shape: [], data_offsets: [0, 0] } }),
    'its tensor a is not described',
  ],
  ['a negative size', fileOf({ a: entry(0, 0, [-1]) }), 'its tensor a is not described'],
  ['a size that is no integer', fileOf({ a: entry(0, 0, [1.5]) }), 'its tensor a is not described'],
  [
    'three offsets',
    fileOf({ a: { ...entry(0, 0), data_offsets: [0, 0, 0] } }),
    'its tensor a is not described',
  ],
  ['a list in place of a table', fileOf('[]'), 'its table of tensors is no JSON object'],
  ['null in place of a table', fileOf('null'), 'its table of tensors is no JSON object'],
  ['a tensor that is no object', fileOf({ a: null }), 'its tensor a is not described'],
  [
    'too few bytes for its shape',
    fileOf({ a: entry(0, 4, [2]) }, 4),
    'its tensor a of shape [2] and type F32 has 4 bytes',
  ],
  [
    'a shape beyond all numbers',
    fileOf({ a: entry(0, 4, [2 ** 52, 2 ** 52]) }, 4),
    `its tensor a of shape [${2 ** 52}, ${2 ** 52}] and type F32 has 4 bytes`,
  ],
  [
    'two tensors in one place',
    fileOf({ a: entry(0, 8, [2]), b: entry(4, 8) }, 8),
    'its tensors a and b overlap',
  ],
  ['an end before its start', fileOf({ a: entry(4, 3) }, 4), 'its tensor a lies outside the file'],
  ['an end behind the file', fileOf({ a: entry(0, 5) }, 4), 'its tensor a lies outside the file'],
])('%s is refused', async (_, file, message) => {
  await expect(read(file)).rejects.toThrow(new ModelCorrupt(message));
});

test('a table of more than 16 MiB is refused before it is read', async () => {
  const head = fileOf('{}', 0, 16 * 1024 * 1024 + 1);
  await expect(read(head, 2 ** 30)).rejects.toThrow('it is no safetensors file');
});
