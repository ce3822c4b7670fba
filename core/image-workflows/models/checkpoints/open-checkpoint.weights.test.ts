import { beforeAll, describe, expect, test } from 'vitest';
import { halfFloat, toHalf } from '#core/tensors';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { defaultGraph } from '#test/support/model-files/emoji-model.ts';
import { writeTinyDiffusion } from '#test/support/model-files/tiny-diffusion.ts';
import { dictionary, tensor, torchArchive } from '#test/support/model-files/torch-files.ts';
import { StoredFiles } from '../../files/stored-files.ts';
import { full, zeros } from '../../values/tensor.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { checkpointNames, loadCheckpoint } from './load-checkpoint.ts';
import { type Checkpoint, openCheckpoint } from './open-checkpoint.ts';

const host = await weightsHost();
const never = new AbortController().signal;

/** Real graphs in onnxruntime, in separate processes. */
beforeAll(async () => {
  await writeTinyDiffusion(host.files, 'models/checkpoints/tiny');
});

describe('a model in the diffusers ONNX layout', () => {
  let checkpoint: Checkpoint;
  beforeAll(async () => {
    checkpoint = await loadCheckpoint(host, 'tiny');
  });
  test('encodes prompts in chunks of 77, with weights', async () => {
    const { tensor, pooled } = await checkpoint.clip.encode('a (cat:2)', never);
    expect(tensor.shape).toEqual([1, 77, 4]);
    const first = Array.from({ length: 4 }, (_, token) => Number(tensor.data[token * 4]!.toFixed(4)));
    // Start, a, cat, end. With weight 2, cat is twice as far from the empty prompt's token, which is an end token.
    expect(first).toEqual([0.05, 0.01, Number((0.06 + (0.02 - 0.06) * 2).toFixed(4)), 0.06]);
    expect(pooled!.shape).toEqual([1, 4]);
    const long = await checkpoint.clip.encode('a BREAK cat', never);
    expect(long.tensor.shape).toEqual([1, 154, 4]);
    await expect(checkpoint.clip.withLastLayer(-2).encode('a', never)).rejects.toThrow('last layer');
  });

  test('predicts for several prompts at once', async () => {
    const entry = (value: number) => ({ tensor: full([1, 77, 4], value), options: {} });
    const longer = { tensor: full([1, 154, 4], 3), options: {} };
    const x = full([2, 4, 2, 2], 1);
    const outputs = await checkpoint.model.network.predict(x, 500, [entry(1), longer, entry(2)], never);
    expect(outputs.map(({ shape }) => shape)).toEqual(new Array(3).fill([2, 4, 2, 2]));
    for (const [index, value] of [1, 3, 2].entries())
      for (const number of outputs[index]!.data) expect(number).toBeCloseTo(0.5 + value + 0.05, 5);
  });

  test('decodes latents to images and encodes images to latents', async () => {
    const latents = full([2, 4, 3, 2], 0.5);
    latents.data.fill(-7, 24);
    const images = await checkpoint.vae.decode(latents, never);
    expect(images.shape).toEqual([2, 24, 16, 3]);
    expect([images.data[0], images.data.at(-1)]).toEqual([0.75, 0]);
    // One pixel too many on each side: cropped.
    const back = await checkpoint.vae.encode(full([1, 25, 17, 3], 0.75), never);
    expect(back.shape).toEqual([1, 4, 3, 2]);
    expect(back.data[0]).toBeCloseTo(0.5, 6);
    await expect(checkpoint.vae.decode(zeros([1, 16, 2, 2]), never)).rejects.toThrow('16');
  });
});

test('checkpoints that cannot run are rejected with the reason', async () => {
  const { files } = host;
  const index = (name: string, value: string) =>
    files.write(`m/${name}/model_index.json`, new TextEncoder().encode(value));
  await index('other', '{"_class_name": "WanPipeline"}');
  await index('broken', '{');
  await index('bare', '{"_class_name": "StableDiffusionPipeline"}');
  await expect(openCheckpoint(host, 'm/other')).rejects.toThrow('WanPipeline');
  await expect(openCheckpoint(host, 'm/broken')).rejects.toThrow('is not JSON');
  await expect(openCheckpoint(host, 'm/bare')).rejects.toThrow('unet/model.onnx');
  await expect(openCheckpoint(host, 'm/none')).rejects.toThrow('model_index.json');
  await files.write('models/checkpoints/sd.safetensors', new Uint8Array(8));
  await expect(loadCheckpoint(host, 'sd.safetensors')).rejects.toThrow(
    'sd.safetensors cannot be read: it is too short for a safetensors file',
  );
  await files.write('models/checkpoints/sd.ckpt', new Uint8Array(8));
  await expect(loadCheckpoint(host, 'sd.ckpt')).rejects.toThrow(
    'sd.ckpt cannot be read: it is too short for a safetensors file, and no file of torch.save',
  );
  await files.write('models/checkpoints/lora.pt', torchArchive(dictionary({ weight: tensor() })));
  expect(await checkpointNames(new StoredFiles(host))).toEqual(
    expect.arrayContaining(['lora.pt', 'sd.ckpt']),
  );
  await expect(loadCheckpoint(host, 'lora.pt')).rejects.toThrow(
    'lora.pt holds no diffusion network that is known here: its 1 tensors begin with weight',
  );
});

test('the default graph saves an image', { timeout: 60_000 }, async () => {
  const server = imageServer({ host });
  const graph = defaultGraph({ checkpoint: 'tiny', prefix: 'tiny', seed: 8566257, size: 64 });
  graph['3'].inputs.cfg = 8;
  const { entry } = await server.run(graph);
  expect(entry.status).toMatchObject({ status_str: 'success' });
  expect(await host.files.names('output')).toEqual(['tiny_00001_.png']);
  await server.close();
});

test('a checkpoint opens again after it was unloaded', { timeout: 60_000 }, async () => {
  await graphsOf(host).unload();
  expect((await (await loadCheckpoint(host, 'tiny')).vae.decode(zeros([1, 4, 1, 1]), never)).data[0]).toBe(
    0.5,
  );
});

test('half-precision numbers are rounded to the nearest', () => {
  for (const value of [0, 1, -2, 0.5, 65504, 6e-8, 0.333251953125])
    expect(halfFloat(toHalf(value))).toBeCloseTo(value, 8);
  expect(halfFloat(toHalf(1 + 2 ** -11))).toBe(1);
  expect(halfFloat(toHalf(1 + 3 * 2 ** -11))).toBe(1 + 2 ** -9);
  expect(halfFloat(toHalf(65520))).toBe(Number.POSITIVE_INFINITY);
  expect(halfFloat(toHalf(Number.NaN))).toBeNaN();
});
