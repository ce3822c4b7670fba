import { expect, test } from 'vitest';
import type { StoredTensor } from '#core/tensors';
import { autoencoderShapes, type Shapes } from '#test/support/model-files/weight-files.ts';
import type { WeightTable } from '../../weight-files/weight-table.ts';
import { recognizeAutoencoder } from './recognize-autoencoder.ts';

const tableOf = (shapes: Shapes): WeightTable =>
  new Map(
    Object.entries(shapes).map(([name, shape]): [string, StoredTensor] => [
      name,
      { file: 'x', type: 'F16', shape, start: 0, end: 1 },
    ]),
  );

test('an autoencoder of latent diffusion, of any number of channels', () => {
  expect(recognizeAutoencoder(tableOf(autoencoderShapes(4)))).toMatchObject({
    layout: 'kl',
    latentChannels: 4,
    scale: 2,
  });
  expect(recognizeAutoencoder(tableOf(autoencoderShapes(16, false)))).toMatchObject({ latentChannels: 16 });
});

test('TAESD, whose scale follows from its enlargements', () => {
  const table = tableOf({
    'taesd_decoder.1.weight': [64, 16, 3, 3],
    'taesd_decoder.1.bias': [64],
    'taesd_decoder.7.weight': [64, 64, 3, 3],
    'taesd_decoder.12.weight': [64, 64, 3, 3],
    'taesd_decoder.19.weight': [3, 64, 3, 3],
    'taesd_decoder.19.bias': [3],
  });
  expect(recognizeAutoencoder(table)).toMatchObject({ layout: 'taesd', latentChannels: 16, scale: 4 });
});

test('the former names of diffusers', () => {
  const attention = 'decoder.mid_block.attentions.0';
  const found = recognizeAutoencoder(
    tableOf({
      'decoder.conv_in.weight': [32, 4, 3, 3],
      [`${attention}.query.weight`]: [32, 32],
      [`${attention}.proj_attn.bias`]: [32],
      [`${attention}.group_norm.bias`]: [32],
    }),
  );
  expect([...(found as { weights: WeightTable }).weights.keys()]).toEqual([
    'decoder.conv_in.weight',
    `${attention}.to_q.weight`,
    `${attention}.to_out.0.bias`,
    `${attention}.group_norm.bias`,
  ]);
});

test('kinds without graphs are named, and other files are not autoencoders', () => {
  expect(recognizeAutoencoder(tableOf({ 'decoder.unpatcher3d.wavelets': [2] }))).toBe('Cosmos');
  expect(recognizeAutoencoder(tableOf({ 'decoder.conv_in.weight': [1024, 32, 3, 3, 3] }))).toBe(
    'Hunyuan Image 3',
  );
  expect(recognizeAutoencoder(tableOf({ 'input_blocks.0.0.weight': [320, 4, 3, 3] }))).toBeUndefined();
});

test("Wan's autoencoder in the names of diffusers", () => {
  const found = recognizeAutoencoder(
    tableOf({
      'decoder.mid_block.resnets.0.norm1.gamma': [4, 1, 1, 1],
      'decoder.mid_block.attentions.0.to_qkv.weight': [12, 4, 1, 1],
      'decoder.up_blocks.1.resnets.2.conv2.weight': [4, 4, 3, 3, 3],
      'decoder.up_blocks.1.upsamplers.0.resample.1.weight': [4, 4, 3, 3],
      'encoder.down_blocks.2.resample.1.weight': [4, 4, 3, 3],
      'encoder.down_blocks.3.conv_shortcut.weight': [4, 4, 1, 1, 1],
      'decoder.norm_out.gamma': [4, 1, 1, 1],
      'post_quant_conv.weight': [16, 16, 1, 1, 1],
    }),
  );
  expect(found).toMatchObject({ layout: 'wan', latentChannels: 16, scale: 2 });
  expect([...(found as { weights: WeightTable }).weights.keys()]).toEqual([
    'decoder.middle.0.residual.0.gamma',
    'decoder.middle.1.to_qkv.weight',
    'decoder.upsamples.6.residual.6.weight',
    'decoder.upsamples.7.resample.1.weight',
    'encoder.downsamples.2.resample.1.weight',
    'encoder.downsamples.3.shortcut.weight',
    'decoder.head.0.gamma',
    'conv2.weight',
  ]);
});
