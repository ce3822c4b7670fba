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
  expect(recognizeAutoencoder(tableOf({ 'decoder.blocks.2.blocks.3.stack.5.weight': [4] }))).toBe('Mochi');
  expect(recognizeAutoencoder(tableOf({ 'decoder.conv_in.weight': [512, 64, 3, 3] }))).toBe(
    'Hunyuan Image 2.1',
  );
  expect(recognizeAutoencoder(tableOf({ 'input_blocks.0.0.weight': [320, 4, 3, 3] }))).toBeUndefined();
});
