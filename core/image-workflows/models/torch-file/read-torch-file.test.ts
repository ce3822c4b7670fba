import { readFile } from 'node:fs/promises';
import { describe, expect, it, test } from 'vitest';
import { ModelCorrupt, ModelUnsupported } from '#core/host';
import {
  call,
  dictionary,
  integer,
  legacyFile,
  named,
  type TensorPickle,
  tensor,
  text,
  torchArchive,
  tuple,
} from '#test/support/model-files/torch-files.ts';
import { isTorchFile, readTorchFile, readTorchTable } from './read-torch-file.ts';
import { PythonName } from './unpickle.ts';

const saved = (name: string) =>
  readFile(new URL(`../../../../test/diffusers/torch/${name}.pt`, import.meta.url));
const reader = (file: Uint8Array) => async (start: number, end: number) => {
  if (!(start >= 0 && start <= end && end <= file.length)) throw new Error(`read ${start} to ${end}`);
  return file.subarray(start, end);
};
const tableOf = (file: Uint8Array) => readTorchTable(file.length, reader(file));
const savedValue = (file: Uint8Array) => readTorchFile(file.length, reader(file));
/** An archive with this tensor as `weight`. */
const withTensor = (options: TensorPickle) => torchArchive(dictionary({ weight: tensor(options) }));

describe.each(['archive2', 'archive3', 'archive4', 'archive5', 'legacy2', 'legacy4'])(
  '%s of torch',
  (name) => {
    it('has tensors of all types, also views of one storage', async () => {
      const file = await saved(name);
      const table = await tableOf(file);
      const hex = table.map(({ start, end, ...entry }) => [
        `${entry.name} ${entry.type} [${entry.shape}]`,
        Buffer.from(file.subarray(start, end)).toString('hex'),
      ]);
      expect(Object.fromEntries(hex)).toEqual({
        'a.weight F32 [2,3]': '000000000000803f0000004000004040000080400000a040',
        'a.bias F32 [2]': '0000c0400000e040',
        'half F16 [3]': '003c00c0007e',
        'brain BF16 [2]': 'c03f0040',
        'double F64 [1]': '000000000000e03f',
        'tiny F8_E4M3 [2]': '3840',
        'tinier F8_E5M2 [2]': '3c40',
        'scalar I64 []': '0700000000000000',
        'mask BOOL [2]': '0100',
        'small U16 [2]': '01000200',
        'parameter F32 [2,2]': '0000803f0000803f0000803f0000803f',
        'empty F32 [0,3]': '',
        'expanded I64 [1,4]': '0000000000000000010000000000000002000000000000000300000000000000',
      });
      expect(table[1]!.start).toBe(table[0]!.end);
    });
    it('has the values of its trainer', async () => {
      const value = (await savedValue(await saved(name))) as Map<unknown, unknown>;
      expect([value.get('epoch'), value.get('rate'), value.get('seed')]).toEqual([3, 0.1, 2 ** 70]);
      expect([value.get('names'), value.get('size')]).toEqual([
        ['ä', null, true, [1, 2, 3, 4]],
        [1, 2],
      ]);
      expect(value.get('dtype')).toEqual(new PythonName('torch.float16'));
      const [callback] = [...(value.get('callbacks') as Map<PythonName, unknown>).keys()];
      expect(callback!.name).toBe('pytorch_lightning.callbacks.model_checkpoint.ModelCheckpoint');
    });
    it('fails with a reason wherever it is cut or damaged', { timeout: 60_000 }, async () => {
      const file = await saved(name);
      const changed = (at: number) =>
        file.map((byte, index) => (index === at ? byte ^ (1 << (at % 8)) : byte));
      for (let at = 0; at < file.length; at += 3)
        for (const bad of [file.subarray(0, at), changed(at)])
          await tableOf(bad).catch((error) => {
            if (!(error instanceof ModelCorrupt || error instanceof ModelUnsupported)) throw error;
            expect(error.message).toMatch(/^its? /);
          });
      for (const share of [0.3, 0.6, 0.95])
        await expect(tableOf(file.subarray(0, file.length * share))).rejects.toThrow(ModelCorrupt);
    });
  },
);

describe('an archive', () => {
  it.each([
    ['a bare table', { weight: tensor() }],
    ['a state', { state_dict: dictionary({ weight: tensor() }), optimizer: dictionary({ other: tensor() }) }],
    [
      'an upscaler',
      { params: dictionary({ other: tensor() }), params_ema: dictionary({ weight: tensor() }) },
    ],
    ['a table under any single key', { generator: dictionary({ weight: tensor() }) }],
    [
      'a table in two others',
      { model: dictionary({ state_dict: dictionary({ weight: tensor() }) }), epoch: 'N' },
    ],
    [
      'a textual inversion',
      { string_to_token: dictionary({}), string_to_param: dictionary({ weight: tensor() }) },
    ],
  ])('holds %s', async (_, items) => {
    const file = torchArchive(dictionary(items));
    const [weight, ...others] = await tableOf(file);
    expect([weight!.name, weight!.type, weight!.shape, others]).toEqual(['weight', 'F32', [2], []]);
    const bytes = file.slice(weight!.start, weight!.end);
    expect([...new Float32Array(bytes.buffer)]).toEqual([1, 2]);
  });
  test.each([
    [
      'a slice beyond its storage',
      { offset: 1 },
      /its tensor weight of shape \[2\] lies outside of its storage/,
    ],
    ['a huge shape', { shape: [2 ** 40, 2 ** 40] }, /lies outside of its storage/],
    ['a huge shape without elements', { shape: [2 ** 52, 2 ** 52, 2 ** 52, 0] }, undefined],
    ['a negative side', { shape: [-1] }, /is inconsistent/],
    ['a negative offset', { offset: -1 }, /is inconsistent/],
    ['more strides than sides', { strides: [1, 1] }, /is inconsistent/],
    ['65 axes', { shape: Array(65).fill(1) }, /is inconsistent/],
    ['a storage larger than its part', { count: 3 }, /its part data\/0 has 8 bytes instead of 12/],
    ['a storage of a huge size', { count: 2 ** 52 }, /its part data\/0 has 8 bytes instead of/],
    ['a storage without a part', { key: '1' }, /its part data\/1 is missing/],
    ['a storage with a long key', { key: 'a'.repeat(101) }, /not described as torch does/],
    ['a storage of another folder', { key: '../data.pkl' }, /is missing/],
  ])('is damaged by %s', async (_, options, message) => {
    const read = tableOf(withTensor(options));
    if (!message) return expect(await read).toHaveLength(1);
    await expect(read).rejects.toThrow(ModelCorrupt);
    await expect(read).rejects.toThrow(message);
  });
  test.each([
    [
      'swapped',
      { shape: [2, 1, 1], strides: [7, 7, 7] },
      /has the strides \[7, 7, 7\]: call contiguous\(\) on it/,
    ],
    ['repeated', { shape: [2], strides: [0] }, /contiguous/],
    ['complex', { storage: 'torch.ComplexFloatStorage' }, /numbers of the kind torch\.ComplexFloatStorage/],
    ['of a class of torch', { storage: 'torch.constructor' }, /numbers of the kind torch\.constructor/],
  ])('is not supported with %s numbers', async (_, options, message) => {
    await expect(tableOf(withTensor(options))).rejects.toThrow(ModelUnsupported);
    await expect(tableOf(withTensor(options))).rejects.toThrow(message);
  });
  test.each([
    ['os.system', call('os.system', text('echo hi'))],
    ['builtins.eval', call('builtins.eval', text('1'))],
    ['torch.storage._load_from_bytes', call('torch.storage._load_from_bytes', text('a'))],
    ['numpy.core.multiarray._reconstruct', call('numpy.core.multiarray._reconstruct', tuple())],
    ['omegaconf.dictconfig.DictConfig', `${named('omegaconf.dictconfig.DictConfig')})\x81`],
    ['a.Net', `${named('a.Net')}}b`],
    [
      'os.remove',
      call('torch._tensor._rebuild_from_type_v2', named('os.remove'), named('torch.Tensor'), tuple(), 'N'),
    ],
    [
      'a.Tensor',
      call(
        'torch._tensor._rebuild_from_type_v2',
        named('torch._utils._rebuild_tensor_v2'),
        named('a.Tensor'),
        tuple(),
        'N',
      ),
    ],
    [`${'a'.repeat(98)}.b…`, call(`${'a'.repeat(98)}.b${'c'.repeat(1000)}`)],
  ])('is not supported when it calls %s', async (name, operations) => {
    for (const file of [
      torchArchive(dictionary({ weight: tensor(), x: operations })),
      legacyFile(operations),
    ]) {
      await expect(tableOf(file)).rejects.toThrow(ModelUnsupported);
      await expect(tableOf(file)).rejects.toThrow(
        `it would run ${name}, and it is read as data only: save its tensors as safetensors`,
      );
    }
  });
  it('reads tensors with attributes', async () => {
    const rebuild = named('torch._utils._rebuild_tensor_v2');
    const args = tensor().replace(rebuild, '').slice(0, -1);
    const weight = call('torch._tensor._rebuild_from_type_v2', rebuild, named('torch.Tensor'), args, '}');
    expect(await tableOf(torchArchive(dictionary({ weight })))).toMatchObject([
      { name: 'weight', shape: [2] },
    ]);
  });
  test.each([
    ['no tensors', torchArchive(dictionary({ epoch: 'N' })), 'it holds no table of tensors by name'],
    ['a tensor without a name', torchArchive(tensor()), 'it holds no table of tensors by name'],
    [
      'no pickle',
      torchArchive('N').map((byte) => (byte === 0x6b ? 0x6c : byte)),
      'without a table of tensors',
    ],
    ['storages of two kinds', torchArchive(tuple(tensor(), tensor({ count: 1 }))), 'described in two ways'],
    ['a pickle without end', torchArchive('N\x80\x05('), 'no table of tensors'],
    ['another persistent object', torchArchive(`${tuple(text('x'), 'N')}Q`), 'not described as torch does'],
    ['a dictionary of Python 2', torchArchive(call('collections.OrderedDict', tuple('N'))), 'Python 2'],
    [
      'big-endian numbers',
      torchArchive('N', { byteorder: Buffer.from('big') }),
      'its numbers are big endian',
    ],
    ['a compressed pickle', torchArchive('N'.repeat(99), {}, 6), 'any/data.pkl is compressed or encrypted'],
    ['a program', torchArchive('N', { 'constants.pkl': Buffer.from('N') }), 'a program of TorchScript'],
  ])('is refused with %s', async (_, file, message) => {
    await expect(tableOf(file)).rejects.toThrow(new RegExp(message));
  });
  it('is refused when its parts overlap', async () => {
    const two = dictionary({ a: tensor(), b: tensor({ key: '1' }) });
    const file = torchArchive(two, { 'data/0': new Uint8Array(8), 'data/1': new Uint8Array(8) });
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
    const directory = view.getUint32(file.length - 6, true);
    const listed = Buffer.from(file).indexOf('any/data/0', directory) - 46;
    const [first, second] = [listed, listed + 46 + 'any/data/0'.length];
    view.setUint32(second + 42, view.getUint32(first + 42, true), true);
    await expect(tableOf(file)).rejects.toThrow('its parts data/0 and data/1 overlap');
  });
});

describe('the older layout', () => {
  const only = dictionary({ weight: tensor() });
  it('reads storages of the layout itself', async () => {
    const file = legacyFile(only);
    const [weight] = await tableOf(file);
    expect([...new Float32Array(file.slice(weight!.start, weight!.end).buffer)]).toEqual([1, 2]);
  });
  test.each([
    ['a pickle of something else', legacyFile(only).subarray(15), 'a pickle that torch.save did not write'],
    ['another version', legacyFile(only, { version: 1002 }), 'its layout has the version 1002'],
    [
      'big-endian numbers',
      legacyFile(only, { system: dictionary({ little_endian: '\x89' }) }),
      'its numbers are big endian',
    ],
    ['an unknown storage', legacyFile(only, { keys: ['1'] }), 'its list of storages is inconsistent'],
    ['a storage twice', legacyFile(only, { keys: ['0', '0'] }), 'its list of storages is inconsistent'],
    ['another size', legacyFile(only, { counts: [3] }), 'its storage 0 has 3 numbers instead of 2'],
    [
      'a negative size',
      legacyFile(only, { counts: [-2] }),
      'its storage 0 has -2 numbers|its storages end early',
    ],
    ['a missing storage', legacyFile(only, { counts: [] }), 'its storages end early'],
    [
      'a huge storage',
      legacyFile(dictionary({ weight: tensor({ count: 2 ** 52 }) }), { counts: [2 ** 52] }),
      'its storages end early',
    ],
  ])('is refused with %s', async (_, file, message) => {
    await expect(tableOf(file)).rejects.toThrow(new RegExp(message));
  });
  it('takes the classes that it describes as names', async () => {
    const described = `${tuple(text('module'), named('a.Net'), text('net.py'), text('class Net'))}Q`;
    const value = await savedValue(legacyFile(tuple(described, tensor())));
    expect((value as unknown[])[0]).toEqual(new PythonName('a.Net'));
  });
});

test('modules and transposed tensors of torch are refused with the next step', async () => {
  await expect(tableOf(await saved('module'))).rejects.toThrow('would run torch.nn.modules.linear.Linear');
  await expect(tableOf(await saved('transposed'))).rejects.toThrow('strides [1, 2]: call contiguous()');
});

test('files of torch are recognized by their first bytes', async () => {
  for (const name of ['archive2', 'archive5', 'legacy2', 'legacy4'])
    expect(isTorchFile((await saved(name)).subarray(0, 8), 5000)).toBe(true);
  // A safetensors file whose table has 640 bytes begins as a pickle does.
  expect(isTorchFile(Uint8Array.of(0x80, 2, 0, 0, 0, 0, 0, 0), 5000)).toBe(false);
  expect(isTorchFile(Uint8Array.of(0x80, 2), 2)).toBe(false);
  expect(isTorchFile(new Uint8Array(8), 5000)).toBe(false);
  expect(integer(1)).toBe('J\x01\0\0\0');
});
