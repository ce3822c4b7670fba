import { expect, test } from 'vitest';
import { originalModuleNames } from './trained-names.ts';

test('modules have the names of the original layout', () => {
  const modules = [
    'conv_in',
    'add_embedding.linear_1',
    'down_blocks.0.resnets.0.conv1',
    'down_blocks.0.attentions.0.transformer_blocks.0.attn1.to_out.0',
    'down_blocks.0.downsamplers.0.conv',
    'mid_block.attentions.0.proj_in',
    'up_blocks.0.resnets.0.time_emb_proj',
    'up_blocks.0.upsamplers.0.conv',
    'conv_norm_out',
    'mapper',
  ];
  expect(modules.map(originalModuleNames(modules))).toEqual(
    [
      'input_blocks.0.0',
      'label_emb.0.0',
      'input_blocks.1.0.in_layers.2',
      'input_blocks.1.1.transformer_blocks.0.attn1.to_out.0',
      'input_blocks.2.0.op',
      'middle_block.1.proj_in',
      'output_blocks.0.0.emb_layers.1',
      'output_blocks.0.1.conv',
      'out.0',
      'mapper',
    ].map((name) => `diffusion_model.${name}`),
  );
});
