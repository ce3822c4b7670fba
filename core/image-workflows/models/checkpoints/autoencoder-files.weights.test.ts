/** Autoencoders in files of weights, as `VAELoader` opens them. `npm run checkpoints` compares real sizes. */
import { describe, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import {
  autoencoderShapes,
  renameWeights,
  weightsFor,
  writeWeights,
} from '#test/support/model-files/weight-files.ts';
import { StoredFiles } from '../../files/stored-files.ts';
import { type FloatTensor, full, tensorOf } from '../../values/tensor.ts';
import { loadVae, vaeNames } from './standalone-parts.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost();

const write = (name: string, weights: Record<string, FloatTensor>) =>
  writeWeights(host.files, `models/vae/${name}`, weights);
const wave = (...shape: number[]): FloatTensor => {
  const tensor = full(shape, 0);
  for (let i = 0; i < tensor.data.length; i++) tensor.data[i] = 0.5 + 0.4 * Math.sin(i);
  return tensor;
};

/** The names that diffusers gives to the parts of the small autoencoder. */
const diffusersName = (name: string) =>
  name
    .replace(/\.mid\.block_(\d)/, (_, number) => `.mid_block.resnets.${Number(number) - 1}`)
    .replace('.mid.attn_1.norm', '.mid_block.attentions.0.group_norm')
    .replace('.mid.attn_1.q', '.mid_block.attentions.0.query')
    .replace('.mid.attn_1.k', '.mid_block.attentions.0.key')
    .replace('.mid.attn_1.v', '.mid_block.attentions.0.value')
    .replace('.mid.attn_1.proj_out', '.mid_block.attentions.0.proj_attn')
    .replace(/\.down\.(\d)\.block/, '.down_blocks.$1.resnets')
    .replace(/\.down\.(\d)\.downsample/, '.down_blocks.$1.downsamplers.0')
    .replace(/\.up\.(\d)\.block/, (_, level) => `.up_blocks.${1 - Number(level)}.resnets`)
    .replace(/\.up\.(\d)\.upsample/, (_, level) => `.up_blocks.${1 - Number(level)}.upsamplers.0`)
    .replace('.norm_out', '.conv_norm_out');
const asMatrices = (weights: Record<string, FloatTensor>) =>
  Object.fromEntries(
    Object.entries(weights).map(([name, { shape, data }]) => [
      name,
      { shape: /attentions\.0\.[a-z_]+\.weight$/.test(name) ? shape.slice(0, 2) : shape, data },
    ]),
  );

test('the same weights give the same images in every layout', SLOW, async () => {
  const weights = weightsFor(autoencoderShapes(4));
  await write('original.safetensors', weights);
  await write(
    'in-checkpoint.safetensors',
    renameWeights(weights, (name) => `first_stage_model.${name}`),
  );
  await write('diffusers.safetensors', asMatrices(renameWeights(weights, diffusersName)));
  const pixels = wave(1, 8, 6, 3);
  const results = [];
  for (const name of ['original', 'in-checkpoint', 'diffusers']) {
    const vae = await loadVae(host, `${name}.safetensors`);
    expect([vae.latentChannels, vae.scale]).toEqual([4, 2]);
    const latent = await vae.encode(pixels, never);
    results.push({ latent, image: await vae.decode(latent, never) });
  }
  const [original, ...others] = results;
  expect(original!.latent.shape).toEqual([1, 4, 4, 3]);
  expect(new Set(original!.image.data).size).toBeGreaterThan(50);
  for (const other of others) expect(other).toEqual(original);
});

test('16 channels without convolutions around the latent', SLOW, async () => {
  await write('flux.safetensors', weightsFor(autoencoderShapes(16, false)));
  const vae = await loadVae(host, 'flux.safetensors');
  const latent = await vae.encode(wave(1, 8, 8, 3), never);
  expect(latent.shape).toEqual([1, 16, 4, 4]);
  expect((await vae.decode(latent, never)).shape).toEqual([1, 8, 8, 3]);
});

describe('TAESD', () => {
  /** A convolution that multiplies each cell by a matrix. */
  const cells = (outputs: number, ...matrix: number[]): FloatTensor => {
    const inputs = matrix.length / outputs;
    const weight = full([outputs, inputs, 3, 3], 0);
    for (const [index, value] of matrix.entries()) weight.data[index * 9 + 4] = value;
    return weight;
  };
  const row = (...values: number[]) => tensorOf([values.length], Float32Array.from(values));
  const block = (name: string, ...factors: [number, number, number]) =>
    Object.fromEntries(
      factors.flatMap((factor, index) => [
        [`${name}.conv.${index * 2}.weight`, cells(1, factor)],
        [`${name}.conv.${index * 2}.bias`, row(0)],
      ]),
    );
  /** Convolution and activation; a block; an enlargement with its convolution; the image. */
  const decoder = {
    '1.weight': cells(1, 2),
    '1.bias': row(1),
    ...block('3', 1, 3, -0.1),
    '5.weight': cells(1, 0.5),
    '6.weight': cells(3, 1, 0.5, 0),
    '6.bias': row(0, 0, 0.25),
  };
  const encoder = {
    '0.weight': cells(1, 1, 1, 1),
    '0.bias': row(-1),
    '1.weight': cells(1, 2),
    ...block('2', 1, 1, 1),
    '3.weight': cells(1, 1),
    '3.bias': row(0.5),
  };
  const named = (prefix: string, weights: Record<string, FloatTensor>) =>
    renameWeights(weights, (name) => `${prefix}.${name}`);
  /** For a latent that the network sees as `z`. */
  const decoded = (z: number) => {
    const first = Math.max(0, 2 * 3 * Math.tanh(z / 3) + 1);
    const inner = 0.5 * Math.max(0, first - 0.3 * first);
    return [inner, inner / 2, 0.25].map((value) => Math.min(1, value));
  };

  test('in a file with its scale', SLOW, async () => {
    await write('tiny.safetensors', {
      vae_scale: tensorOf([], Float32Array.of(0.5)),
      vae_shift: tensorOf([], Float32Array.of(1)),
      ...named('taesd_encoder', encoder),
      ...named('taesd_decoder', decoder),
    });
    const vae = await loadVae(host, 'tiny.safetensors');
    expect([vae.latentChannels, vae.scale]).toEqual([1, 2]);
    const { shape, data } = await vae.decode(full([1, 1, 1, 1], 0.4), never);
    expect(shape).toEqual([1, 2, 2, 3]);
    const expected = decoded((0.4 - 1) * 0.5);
    for (const [index, value] of data.entries()) expect(value).toBeCloseTo(expected[index % 3]!, 5);
    // The sum of the colors less 1 is 0.5. The next convolution and the block double it.
    const latent = await vae.encode(full([1, 2, 2, 3], 0.5), never);
    expect(latent.shape).toEqual([1, 1, 1, 1]);
    expect(latent.data[0]).toBeCloseTo((2 + 0.5) / 0.5 + 1, 5);
  });

  test('in two files of the folder vae_approx, with the scale of its family', SLOW, async () => {
    const place = (part: string) => `models/vae_approx/taesdxl_${part}.safetensors`;
    await writeWeights(host.files, place('decoder'), decoder);
    expect(await vaeNames(new StoredFiles(host))).not.toContain('taesdxl');
    await expect(loadVae(host, 'taesdxl')).rejects.toThrow('taesdxl_encoder.safetensors');
    await writeWeights(host.files, place('encoder'), encoder);
    expect(await vaeNames(new StoredFiles(host))).toContain('taesdxl');
    const { data } = await (await loadVae(host, 'taesdxl')).decode(full([1, 1, 1, 1], -2), never);
    const expected = decoded(-2 * 0.13025);
    for (const [index, value] of data.entries()) expect(value).toBeCloseTo(expected[index % 3]!, 5);
    await writeWeights(host.files, place('encoder'), named('taesd_encoder', encoder));
    await expect(loadVae(host, 'taesdxl')).rejects.toThrow('taesdxl_encoder.safetensors is no part of TAESD');
  });
});

describe('files that cannot be used are refused', () => {
  test('because they are truncated', async () => {
    await write('whole.safetensors', weightsFor({ 'decoder.conv_in.weight': [32, 4, 3, 3] }));
    const bytes = await host.files.read('models/vae/whole.safetensors');
    await host.files.write('models/vae/cut.safetensors', bytes.slice(0, -100));
    await expect(loadVae(host, 'cut.safetensors')).rejects.toThrow(
      'cut.safetensors cannot be read: its tensor decoder.conv_in.weight lies outside the file',
    );
  });

  test('because they hold another model', async () => {
    await write('lora.safetensors', weightsFor({ 'lora_unet_to_q.lora_up.weight': [4, 1] }));
    await expect(loadVae(host, 'lora.safetensors')).rejects.toThrow(
      'lora.safetensors holds no autoencoder that is known here: its 1 tensors begin with lora_unet_to_q.lora_up.weight: the nearest kind is a LoRA or one of its relatives, for LoraLoader',
    );
    await write('cosmos.safetensors', weightsFor({ 'decoder.unpatcher3d.wavelets': [2] }));
    await expect(loadVae(host, 'cosmos.safetensors')).rejects.toThrow(
      'the autoencoder in cosmos.safetensors is that of Cosmos',
    );
  });

  test('because they lack weights, or have changed', SLOW, async () => {
    const { 'decoder.norm_out.bias': _, ...rest } = weightsFor(autoencoderShapes(4));
    await write('part.safetensors', rest);
    const vae = await loadVae(host, 'part.safetensors');
    await expect(vae.decode(full([1, 4, 2, 2], 0), never)).rejects.toThrow(
      'part.safetensors cannot be used: there is no tensor decoder.conv_norm_out.bias',
    );
    await write('part.safetensors', weightsFor(autoencoderShapes(4, false)));
    await expect(vae.decode(full([1, 4, 2, 2], 0), never)).rejects.toThrow('part.safetensors has changed');
  });
});
