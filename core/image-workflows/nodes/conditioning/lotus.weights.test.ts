/** The prompt of Lotus by a small encoder with as many layers as OpenCLIP H. */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { clipShapes, weightsFor, writeWeights } from '#test/support/model-files/weight-files.ts';
import { StoredFiles } from '../../files/stored-files.ts';
import { loadEncoders } from '../../models/checkpoints/load-encoders.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { lotusConditioning } from './lotus.ts';

const host = await weightsHost();

const { signal } = new AbortController();
const run = async () =>
  (
    (await lotusConditioning.run({}, {
      host,
      files: new StoredFiles(host),
      signal,
    } as unknown as NodeContext)) as [Conditioning]
  )[0];

test('takes the first two tokens of the empty prompt from the encoder of Stable Diffusion 2', async () => {
  await expect(run()).rejects.toThrow('put its file into models/text_encoders');
  await writeWeights(host.files, 'models/text_encoders/clip_l.safetensors', weightsFor(clipShapes(12)));
  await host.files.write('models/text_encoders/broken.safetensors', new Uint8Array(9));
  await expect(run()).rejects.toThrow('put its file into models/text_encoders');
  await writeWeights(host.files, 'models/text_encoders/open_clip_h.safetensors', weightsFor(clipShapes(23)));
  const [entry, ...others] = await run();
  expect(others).toEqual([]);
  const clip = await loadEncoders(host, ['open_clip_h.safetensors'], 'stable_diffusion');
  const { tensor } = await clip.encode('', signal);
  const width = tensor.shape[2]!;
  expect(entry!.tensor.shape).toEqual([1, 2, width]);
  expect([...entry!.tensor.data]).toEqual([...tensor.data.slice(0, 2 * width)]);
  // Later tokens change nothing: another prompt has the same first token.
  const other = await clip.encode('a cat', signal);
  const far = other.tensor.data.slice(0, width).map((value, at) => Math.abs(value - entry!.tensor.data[at]!));
  expect(Math.max(...far)).toBeLessThan(1e-5);
});
