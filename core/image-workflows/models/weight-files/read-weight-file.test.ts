import { expect, test } from 'vitest';
import { FileMissing, ModelCorrupt, ModelUnsupported } from '#core/host';
import { createTestHost } from '#test/support/host/test-host.ts';
import {
  call,
  dictionary,
  legacyFile,
  tensor,
  text,
  torchArchive,
} from '#test/support/model-files/torch-files.ts';
import { encodeSafetensors } from '../../nodes/latent/safetensors.ts';
import { full } from '../../values/tensor.ts';
import { readWeightFile } from './read-weight-file.ts';

const { files } = createTestHost();
const table = dictionary({ weight: tensor() });

test.each([
  ['a.ckpt', torchArchive(table)],
  ['a.pth', legacyFile(table)],
  ['a.safetensors', torchArchive(table)],
  ['a.pt', encodeSafetensors({ weight: full([2], 1) }, {})],
])('the bytes of %s decide, not its name', async (name, bytes) => {
  await files.write(`m/${name}`, bytes);
  const { table: read, parts } = await readWeightFile(files, `m/${name}`);
  expect(parts).toMatchObject([{ path: `m/${name}`, name, size: bytes.length }]);
  expect([...read]).toMatchObject([['weight', { file: name, type: 'F32', shape: [2] }]]);
  const { start, end } = read.get('weight')!;
  expect(end - start).toBe(8);
});

test.each([
  [
    'a.ckpt',
    new Uint8Array(8),
    ModelCorrupt,
    'it is too short for a safetensors file, and no file of torch.save',
  ],
  ['a.safetensors', new Uint8Array(8), ModelCorrupt, 'it is too short for a safetensors file'],
  [
    'empty.pt',
    new Uint8Array(),
    ModelCorrupt,
    'it is too short for a safetensors file, and no file of torch.save',
  ],
  [
    'evil.pt',
    torchArchive(call('os.system', text('echo'))),
    ModelUnsupported,
    'it would run os.system, and it is read as data only: save its tensors as safetensors',
  ],
  ['half.pth', torchArchive(table).subarray(0, 200), ModelCorrupt, 'its archive is damaged or incomplete'],
])('%s is refused', async (name, bytes, kind, reason) => {
  await files.write(`m/${name}`, bytes);
  const error = await readWeightFile(files, `m/${name}`).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(kind);
  expect(error.message).toBe(`${name} cannot be read: ${reason}`);
});

test('a missing file is missing', async () => {
  await expect(readWeightFile(files, 'm/none.pt')).rejects.toThrow(FileMissing);
});
