import { readFile } from 'node:fs/promises';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { ModelCorrupt } from '#core/host';
import { readTorchFile, TorchTensor } from './read-torch-file.ts';
import { PythonName, unpickle } from './unpickle.ts';

const bytesOf = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
/** An environment that refuses calls and persistent objects. */
const refusing = {
  call: (name: string): unknown => {
    throw new Error(`called ${name}`);
  },
  persistent: (): unknown => {
    throw new Error('asked for a persistent object');
  },
};
const parse = (text: string) => unpickle(bytesOf(`\x80\x02${text}`), refusing);

/** A torch archive with this pickle as its tensor table. `data` is the storage 0. */
function archive(pickle: string, options: { level?: 0 | 6; data?: Uint8Array } = {}): Uint8Array {
  const { level = 0, data = new Uint8Array(new Float32Array([1, 2, 3, 4]).buffer) } = options;
  return zipSync({ 'any/data.pkl': bytesOf(`\x80\x02${pickle}`), 'any/data/0': data }, { level });
}
/** Repeats each entry of an archive's central directory five times, so that entries overlap. */
function withRepeatedEntries(file: Uint8Array): Uint8Array {
  const end = file.length - 22;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const start = view.getUint32(end + 16, true);
  const directory = file.subarray(start, end);
  const result = new Uint8Array(file.length + 4 * directory.length);
  result.set(file.subarray(0, start));
  for (let times = 0; times < 5; times++) result.set(directory, start + times * directory.length);
  result.set(file.subarray(end), result.length - 22);
  const endRecord = new DataView(result.buffer, result.length - 22);
  const count = view.getUint16(end + 10, true);
  for (const offset of [8, 10]) endRecord.setUint16(offset, 5 * count, true);
  endRecord.setUint32(12, 5 * directory.length, true);
  return result;
}
/** The pickle of a call of torch._utils._rebuild_tensor_v2, with this class of storage. */
const tensor = (storage: string, offset: number, shape: number[], strides: number[]) => {
  const numbers = (list: number[]) => `(${list.map((number) => `K${String.fromCharCode(number)}`).join('')}t`;
  const id = `(X\x07\0\0\0storagectorch\n${storage}\nX\x01\0\0\x000X\x03\0\0\0cpuK\x04tQ`;
  return `ctorch._utils\n_rebuild_tensor_v2\n(${id}K${String.fromCharCode(offset)}${numbers(shape)}${numbers(strides)}\x89NtR.`;
};

describe('unpickle', () => {
  it.each([
    ['N.', null],
    ['\x88.', true],
    ['\x89.', false],
    ['K\xff.', 255],
    ['M\x01\x02.', 513],
    ['J\xfe\xff\xff\xff.', -2],
    ['\x8a\x06\0\0\0\0\0\x01.', 2 ** 40],
    ['\x8a\x01\xff.', -1],
    ['G\x3f\xf8\0\0\0\0\0\0.', 1.5],
    ['X\x03\0\0\0\xc3\xa4b.', 'äb'],
    [').', []],
    ['K\x01\x85.', [1]],
    ['K\x01K\x02K\x03\x87.', [1, 2, 3]],
    ['(K\x01(K\x02tt.', [1, [2]]],
    ['](K\x01K\x02ea.', undefined],
    ['](K\x01K\x02eK\x03a.', [1, 2, 3]],
    [
      '}(K\x01K\x02K\x03K\x04uK\x01K\x05s.',
      new Map([
        [1, 5],
        [3, 4],
      ]),
    ],
    ['K\x07q\x05h\x05\x86.', [7, 7]],
    ['K\x07r\x05\0\0\x01j\x05\0\0\x01\x86.', [7, 7]],
    ['}X\x01\0\0\0a}b.', undefined],
  ])('parses %j', (text, expected) => {
    if (expected === undefined) expect(() => parse(text)).toThrow(ModelCorrupt);
    else expect(parse(text)).toEqual(expected);
  });
  it('leaves calls and persistent objects to its environment', () => {
    expect(parse('cos\nsystem\n.')).toEqual(new PythonName('os.system'));
    expect(() => parse('cos\nsystem\n(X\x02\0\0\0lstR.')).toThrow('called os.system');
    expect(() => parse('K\x01Q.')).toThrow('asked for a persistent object');
    const environment = { ...refusing, call: (name: string, args: readonly unknown[]) => [name, ...args] };
    expect(unpickle(bytesOf('\x80\x02ca\nb\nK\x01\x85R.'), environment)).toEqual(['a.b', 1]);
  });
  it.each([
    ['', 'ends early'],
    ['K', 'ends early'],
    ['X\xff\xff\xff\x7fa', 'ends early'],
    ['cos\nsystem', 'ends early'],
    ['.', 'is inconsistent'],
    ['t.', 'is inconsistent'],
    ['h\x01.', 'is inconsistent'],
    ['K\x01K\x02s.', 'is inconsistent'],
    ['K\x01)R.', 'is inconsistent'],
    ['\x93.', '0x93'],
  ])('rejects %j', (text, message) => {
    expect(() => parse(text)).toThrow(ModelCorrupt);
    expect(() => parse(text)).toThrow(message);
  });
  it('rejects another protocol', () => {
    expect(() => unpickle(bytesOf('\x80\x05N.'), refusing)).toThrow('0x80');
  });
});

describe('readTorchFile', () => {
  it('reads a file that torch.save wrote', async () => {
    const file = new URL('../../../../test/diffusers/hypernetworks/old.pt', import.meta.url);
    const table = readTorchFile(await readFile(file)) as Map<unknown, unknown>;
    expect(table.get('name')).toBe('old');
    expect(table.get('layer_structure')).toEqual([1, 2, 1]);
    const [first] = table.get(6) as Map<string, TorchTensor>[];
    expect([...first!.keys()]).toEqual(['linear1.weight', 'linear1.bias', 'linear2.weight', 'linear2.bias']);
    expect(first!.get('linear1.weight')!.shape).toEqual([12, 6]);
    expect(first!.get('linear1.weight')!.numbers()).toHaveLength(72);
  });
  it('reads slices of a storage and half floats', () => {
    const read = readTorchFile(archive(tensor('FloatStorage', 1, [3, 1], [1, 1]))) as TorchTensor;
    expect(read).toBeInstanceOf(TorchTensor);
    expect([...read.numbers()]).toEqual([2, 3, 4]);
    const half = Uint8Array.of(0, 0x3c, 0, 0xc0);
    const halves = readTorchFile(archive(tensor('HalfStorage', 0, [2], [1]), { data: half })) as TorchTensor;
    expect([...halves.numbers()]).toEqual([1, -2]);
  });
  it.each([
    ['integers', tensor('LongStorage', 0, [1], [1]), /no floats of 16 or 32 bits/],
    ['a slice beyond the storage', tensor('FloatStorage', 2, [3], [1]), /exceed its parts/],
    ['strides that are not contiguous', tensor('FloatStorage', 0, [2, 2], [1, 2]), /not contiguous/],
    ['another call', 'cos\nsystem\n(X\x02\0\0\0lstR.', /holds a os\.system/],
    ['a tensor without a storage', 'ctorch._utils\n_rebuild_tensor_v2\n(NK\0)))tR.', /is inconsistent/],
  ])('rejects %s', (_, pickle, message) => {
    expect(() => readTorchFile(archive(pickle))).toThrow(ModelCorrupt);
    expect(() => readTorchFile(archive(pickle))).toThrow(message);
  });
  it.each([
    ['a file that is no archive', bytesOf('anything'), /torch 1\.6 or newer/],
    [
      'an archive without a pickle',
      zipSync({ 'word.xml': bytesOf('a') }, { level: 0 }),
      /no table of tensors/,
    ],
    ['a compressed archive', archive('N.', { level: 6 }), /no table of tensors/],
    ['a truncated archive', archive('N.').subarray(0, 40), /archive is damaged/],
    [
      'an archive with overlapping entries',
      withRepeatedEntries(archive('N.', { data: new Uint8Array(9000) })),
      /more than its size allows/,
    ],
  ])('rejects %s', (_, file, message) => {
    expect(() => readTorchFile(file)).toThrow(message);
  });
});
