/** Vision encoders and style models, compared with diffusers and transformers (test/diffusers/scripts/vision.py). */

import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { writeExported } from '#test/support/model-files/exported-model.ts';
import { expectNear, type Numbers, readNumbers, tensor } from '#test/support/model-files/exported-numbers.ts';
import { exportedWeights } from '#test/support/model-files/exported-weights.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import { StoredFiles } from '../../files/stored-files.ts';
import { nodeTypes } from '../../nodes/index.ts';
import type { NodeContext } from '../../nodes/kernel/node-context.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import type { ClipVisionOutput } from '../../values/vision.ts';
import { listedModels } from '../checkpoints/listed-models.ts';
import { loadClipVision } from './clip-vision.ts';
import { preprocessImage } from './preprocess-image.ts';
import { loadStyleModel } from './style-model.ts';

interface RecordedOutput {
  pixels: Numbers;
  last: Numbers;
  penultimate: Numbers;
  embeds: Numbers;
}
interface Answers {
  picture: { shape: number[]; bytes: number[] };
  clip: Record<'center' | 'none', RecordedOutput>;
  siglip: Record<'center' | 'none', RecordedOutput>;
  redux: { tokens: Numbers; style: Numbers };
}

const FOLDER = new URL('../../../../test/diffusers/', import.meta.url);
const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const context = { signal: never } as unknown as NodeContext;
const CLIP = {
  size: 16,
  mean: [0.48145466, 0.4578275, 0.40821073],
  std: [0.26862954, 0.26130258, 0.27577711],
};
const host = await weightsHost('here');
let answers: Answers;
let image: FloatTensor;

beforeAll(async () => {
  await writeExported(host.files, 'clip_vision', 'models/clip_vision/clip');
  await writeExported(host.files, 'siglip', 'models/clip_vision/siglip');
  await writeExported(host.files, 'redux', 'models/style_models/redux');
  answers = await readNumbers('vision.json');
  const { shape, bytes } = answers.picture;
  image = { shape, data: Float32Array.from(bytes, (byte) => byte / 255) };
});

const run = async <T>(name: string, values: Record<string, unknown>): Promise<T[]> =>
  (await nodeTypes.find((node) => node.name === name)!.run(values, context)) as T[];

test.each(['center', 'none'] as const)('two encoders on one image, crop %s', SLOW, async (crop) => {
  expectNear(await preprocessImage(image, CLIP, crop, never), answers.clip[crop].pixels);
  for (const name of ['clip', 'siglip'] as const) {
    const expected = answers[name][crop];
    const model = await loadClipVision(host, name);
    const [seen] = await run<ClipVisionOutput>('CLIPVisionEncode', {
      clip_vision: model,
      image,
      crop,
    });
    expectNear(seen!.lastHiddenState, expected.last);
    expectNear(seen!.penultimateHiddenState, expected.penultimate);
    expectNear(seen!.imageEmbeds, name === 'clip' ? expected.embeds : expected.last);
  }
});

test('a batch of images with an alpha channel', SLOW, async () => {
  const model = await loadClipVision(host, 'clip');
  const two = full([2, 37, 23, 4], 0.3);
  for (let pixel = 0; pixel < 37 * 23; pixel++)
    two.data.set(image.data.subarray(pixel * 3, pixel * 3 + 3), (37 * 23 + pixel) * 4);
  const seen = await model.encode(two, 'center', never);
  expect([seen.imageEmbeds!.shape, seen.penultimateHiddenState!.shape]).toEqual([
    [2, 6],
    [2, 5, 8],
  ]);
  const { shape, data } = answers.clip.center.embeds;
  expectNear({ shape, data: seen.imageEmbeds!.data.subarray(6) }, { shape, data });
});

test('recognizes an encoder by its graph when it has no configuration', SLOW, async () => {
  const bytes = await readFile(new URL('siglip/model.onnx', FOLDER));
  await host.files.write('models/clip_vision/alone.onnx', bytes);
  const seen = await (await loadClipVision(host, 'alone.onnx')).encode(image, 'none', never);
  expectNear(seen.imageEmbeds, answers.siglip.none.last);
});

test('a style model appends tokens to a prompt', SLOW, async () => {
  const { tokens, style } = answers.redux;
  const seen = { lastHiddenState: tensor(tokens), imageEmbeds: undefined, penultimateHiddenState: undefined };
  const model = await loadStyleModel(host, 'redux');
  const prompt = [{ tensor: full([2, 3, 6], 5), options: { guidance: 2 } }];
  const apply = async (strength: number, strength_type: string, clip_vision_output = seen) =>
    run<Conditioning>('StyleModelApply', {
      conditioning: prompt,
      style_model: model,
      clip_vision_output,
      strength,
      strength_type,
    });
  for (const [strength, type] of [
    [1, 'attn_bias'],
    [0.5, 'multiply'],
  ] as const) {
    const [[entry]] = (await apply(strength, type)) as [Conditioning];
    expect([entry!.tensor.shape, entry!.options]).toEqual([[2, 7, 6], { guidance: 2 }]);
    expect([...entry!.tensor.data.subarray(0, 18)]).toEqual(new Array(18).fill(5));
    const { shape, data } = style;
    for (const at of [18, 60])
      expectNear(
        { shape, data: entry!.tensor.data.subarray(at, at + 24) },
        { shape, data: data.map((value) => value * strength) },
      );
  }
  // Two images in one prompt.
  const twice = { ...seen, lastHiddenState: { shape: [2, 2, 8], data: seen.lastHiddenState.data } };
  const [[both]] = (await apply(1, 'multiply', twice)) as [Conditioning];
  expect(both!.tensor.shape).toEqual([2, 7, 6]);
  expect((await apply(0, 'attn_bias'))[0]).toBe(prompt);
  await expect(apply(0.5, 'attn_bias')).rejects.toThrow('use multiply');
  const narrow = { ...seen, lastHiddenState: zeros([1, 2, 5]) };
  await expect(apply(1, 'multiply', narrow)).rejects.toThrow('SigLIP');
  prompt[0]!.tensor = zeros([1, 3, 4]);
  await expect(apply(1, 'multiply')).rejects.toThrow('another kind of model');
});

test('Flux Redux from its file of weights', SLOW, async () => {
  const { tokens, style } = answers.redux;
  const folder = 'models/style_models/redux';
  const bytes = await host.files.read(`${folder}/model.onnx`);
  const weights: Record<string, FloatTensor> = {};
  for (const [name, { shape, start, end, isTransposed }] of await exportedWeights(host, folder)) {
    const data = new Float32Array(bytes.slice(start, end).buffer);
    const [inputs = 0, outputs = 0] = shape;
    const turned = data.map((_, at) => data[(at % inputs) * outputs + Math.floor(at / inputs)]!);
    weights[name] = isTransposed ? { shape: [outputs, inputs], data: turned } : { shape, data };
  }
  await writeWeights(host.files, 'models/style_models/redux.safetensors', weights);
  const model = await loadStyleModel(host, 'redux.safetensors');
  const seen = { lastHiddenState: tensor(tokens), imageEmbeds: undefined, penultimateHiddenState: undefined };
  expectNear(await model.tokens(seen, never), style);
});

test('rejects unsupported files with a remedy', SLOW, async () => {
  await host.files.write('models/clip_vision/g.safetensors', new Uint8Array(8));
  await writeWeights(host.files, 'models/style_models/style.safetensors', { 'other.weight': zeros([2, 2]) });
  await expect(loadClipVision(host, 'g.safetensors')).rejects.toThrow('too short for a safetensors file');
  await expect(loadStyleModel(host, 'style.safetensors')).rejects.toThrow('ReduxImageEncoder');
  await expect(loadClipVision(host, 'none')).rejects.toThrow('models/clip_vision/none/model.onnx');
  await host.files.write(
    'models/clip_vision/unet.onnx',
    await readFile(new URL('unclip/model.onnx', FOLDER)),
  );
  await host.files.write(
    'models/style_models/unet.onnx',
    await readFile(new URL('unclip/model.onnx', FOLDER)),
  );
  await expect(loadClipVision(host, 'unet.onnx')).rejects.toThrow('pixel_values');
  await expect(loadStyleModel(host, 'unet.onnx')).rejects.toThrow('tokens alone');
  const files = new StoredFiles(host);
  expect(await listedModels(files, 'clip_vision')).toEqual(
    expect.arrayContaining(['alone.onnx', 'clip', 'g.safetensors', 'siglip']),
  );
  expect(await listedModels(files, 'style_models')).toEqual(
    expect.arrayContaining(['style.safetensors', 'redux']),
  );
});
