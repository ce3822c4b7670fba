import { readFile } from 'node:fs/promises';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { ModelCorrupt } from '#core/host';
import { readTorchFile, TorchTensor } from './read-torch-file.ts';
import { PythonName, unpickle } from './unpickle.ts';

const bytesOf = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const nothing = {
  call: (name: string): unknown => {
    throw new Error(`called ${name}`);
  },
  outside: (): unknown => {
    throw new Error('asked for what lies elsewhere');
  },
};
const value = (text: string) => unpickle(bytesOf(`\x80\x02${text}`), nothing);

/** An archive whose table is this pickle; numbers are those of `data/0`. */
function archive(pickle: string, options: { level?: 0 | 6; data?: Uint8Array } = {}): Uint8Array {
  const { level = 0, data = new Uint8Array(new Float32Array([1, 2, 3, 4]).buffer) } = options;
  return zipSync({ 'any/data.pkl': bytesOf(`\x80\x02${pickle}`), 'any/data/0': data }, { level });
}
/** An archive whose table of contents says everything five times. */
function manifold(file: Uint8Array): Uint8Array {
  const end = file.length - 22;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const start = view.getUint32(end + 16, true);
  const contents = file.subarray(start, end);
  const made = new Uint8Array(file.length + 4 * contents.length);
  made.set(file.subarray(0, start));
  for (let times = 0; times < 5; times++) made.set(contents, start + times * contents.length);
  made.set(file.subarray(end), made.length - 22);
  const other = new DataView(made.buffer, made.length - 22);
  const count = view.getUint16(end + 10, true);
  for (const place of [8, 10]) other.setUint16(place, 5 * count, true);
  other.setUint32(12, 5 * contents.length, true);
  return made;
}
/** torch._utils._rebuild_tensor_v2 of a storage. */
const tensor = (storage: string, offset: number, shape: number[], strides: number[]) => {
  const numbers = (list: number[]) => `(${list.map((one) => `K${String.fromCharCode(one)}`).join('')}t`;
  const id = `(X\x07\0\0\0storagectorch\n${storage}\nX\x01\0\0\x000X\x03\0\0\0cpuK\x04tQ`;
  return `ctorch._utils\n_rebuild_tensor_v2\n(${id}K${String.fromCharCode(offset)}${numbers(shape)}${numbers(strides)}\x89NtR.`;
};

describe('values of a pickle', () => {
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
  ])('%j', (text, expected) => {
    if (expected === undefined) expect(() => value(text)).toThrow(ModelCorrupt);
    else expect(value(text)).toEqual(expected);
  });
  it('names and calls are left to those around', () => {
    expect(value('cos\nsystem\n.')).toEqual(new PythonName('os.system'));
    expect(() => value('cos\nsystem\n(X\x02\0\0\0lstR.')).toThrow('called os.system');
    expect(() => value('K\x01Q.')).toThrow('asked for what lies elsewhere');
    const around = { ...nothing, call: (name: string, args: readonly unknown[]) => [name, ...args] };
    expect(unpickle(bytesOf('\x80\x02ca\nb\nK\x01\x85R.'), around)).toEqual(['a.b', 1]);
  });
  it.each([
    ['', 'ends early'],
    ['K', 'ends early'],
    ['X\xff\xff\xff\x7fa', 'ends early'],
    ['cos\nsystem', 'ends early'],
    ['.', 'does not fit together'],
    ['t.', 'does not fit together'],
    ['h\x01.', 'does not fit together'],
    ['K\x01K\x02s.', 'does not fit together'],
    ['K\x01)R.', 'does not fit together'],
    ['\x93.', '0x93'],
  ])('%j is refused', (text, message) => {
    expect(() => value(text)).toThrow(ModelCorrupt);
    expect(() => value(text)).toThrow(message);
  });
  it('another protocol is refused', () => {
    expect(() => unpickle(bytesOf('\x80\x05N.'), nothing)).toThrow('0x80');
  });
});

describe('files of torch', () => {
  it('as it saves them', async () => {
    const file = new URL('../../../../test/diffusers/hypernetworks/old.pt', import.meta.url);
    const table = readTorchFile(await readFile(file)) as Map<unknown, unknown>;
    expect(table.get('name')).toBe('old');
    expect(table.get('layer_structure')).toEqual([1, 2, 1]);
    const [first] = table.get(6) as Map<string, TorchTensor>[];
    expect([...first!.keys()]).toEqual(['linear1.weight', 'linear1.bias', 'linear2.weight', 'linear2.bias']);
    expect(first!.get('linear1.weight')!.shape).toEqual([12, 6]);
    expect(first!.get('linear1.weight')!.numbers()).toHaveLength(72);
  });
  it('parts of what is stored', () => {
    const read = readTorchFile(archive(tensor('FloatStorage', 1, [3, 1], [1, 1]))) as TorchTensor;
    expect(read).toBeInstanceOf(TorchTensor);
    expect([...read.numbers()]).toEqual([2, 3, 4]);
    const half = Uint8Array.of(0, 0x3c, 0, 0xc0);
    const other = readTorchFile(archive(tensor('HalfStorage', 0, [2], [1]), { data: half })) as TorchTensor;
    expect([...other.numbers()]).toEqual([1, -2]);
  });
  it.each([
    ['of other numbers', tensor('LongStorage', 0, [1], [1]), /no floats of 16 or 32 bits/],
    ['beyond what is stored', tensor('FloatStorage', 2, [3], [1]), /outside of its parts/],
    ['out of order', tensor('FloatStorage', 0, [2, 2], [1, 2]), /not saved in order/],
    ['a call of something else', 'cos\nsystem\n(X\x02\0\0\0lstR.', /holds a os\.system/],
    ['no storage', 'ctorch._utils\n_rebuild_tensor_v2\n(NK\0)))tR.', /does not fit together/],
  ])('refused: %s', (_, pickle, message) => {
    expect(() => readTorchFile(archive(pickle))).toThrow(ModelCorrupt);
    expect(() => readTorchFile(archive(pickle))).toThrow(message);
  });
  it.each([
    ['no archive', bytesOf('anything'), /since version 1\.6/],
    [
      'an archive of something else',
      zipSync({ 'word.xml': bytesOf('a') }, { level: 0 }),
      /no table of tensors/,
    ],
    ['one that is packed', archive('N.', { level: 6 }), /no table of tensors/],
    ['a damaged one', archive('N.').subarray(0, 40), /archive is damaged/],
    [
      'one whose entries lie on one another',
      manifold(archive('N.', { data: new Uint8Array(9000) })),
      /more than it is large/,
    ],
  ])('refused: %s', (_, file, message) => {
    expect(() => readTorchFile(file)).toThrow(message);
  });
});
