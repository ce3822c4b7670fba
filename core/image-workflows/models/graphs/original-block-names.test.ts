import { describe, expect, test } from 'vitest';
import type { NetworkKind } from '../../values/network.ts';
import { diffusersName } from './ldm-names.ts';
import { originalBlockNames } from './original-block-names.ts';

/** Two layers per block, as in published UNets. */
const usual = ['down_blocks.0.resnets.0.conv1.weight', 'down_blocks.0.resnets.1.conv1.weight'];

test.each<[NetworkKind, string, string]>([
  ['sd', 'conv_in.weight', 'input_blocks.0.0.'],
  ['sd', 'down_blocks.0.resnets.1.norm1.bias', 'input_blocks.2.0.'],
  ['sd', 'down_blocks.0.downsamplers.0.conv.weight', 'input_blocks.3.0.'],
  ['sd', 'down_blocks.3.resnets.1.conv2.weight', 'input_blocks.11.0.'],
  ['sd', 'down_blocks.1.attentions.0.transformer_blocks.0.attn1.to_q.weight', 'input_blocks.4.1.'],
  ['sd', 'mid_block.resnets.1.conv1.weight', 'middle_block.2.'],
  ['sd', 'mid_block.attentions.0.proj_in.weight', 'middle_block.1.'],
  ['sd', 'up_blocks.3.attentions.2.proj_out.bias', 'output_blocks.11.1.'],
  ['sd', 'up_blocks.0.upsamplers.0.conv.weight', 'output_blocks.2.'],
  ['sd', 'time_embedding.linear_2.bias', 'time_embed.'],
  ['sd', 'conv_norm_out.weight', 'out.0.'],
  ['sd', 'conv_out.bias', 'out.2.'],
  ['sdxl', 'add_embedding.linear_1.weight', 'label_emb.'],
  ['sdxl', 'up_blocks.2.resnets.2.conv1.weight', 'output_blocks.8.0.'],
  ['sd3', 'pos_embed.pos_embed', 'pos_embed'],
  ['sd3', 'pos_embed.proj.weight', 'x_embedder.proj.'],
  ['sd3', 'context_embedder.bias', 'context_embedder.'],
  ['sd3', 'time_text_embed.timestep_embedder.linear_1.weight', 't_embedder.'],
  ['sd3', 'time_text_embed.text_embedder.linear_1.weight', 'y_embedder.'],
  ['sd3', 'transformer_blocks.23.attn.to_q.weight', 'joint_blocks.23.'],
  ['sd3', 'norm_out.linear.weight', 'final_layer.'],
  ['flux', 'x_embedder.weight', 'img_in.'],
  ['flux', 'context_embedder.weight', 'txt_in.'],
  ['flux', 'time_text_embed.timestep_embedder.linear_1.bias', 'time_in.'],
  ['flux', 'time_text_embed.guidance_embedder.linear_1.bias', 'guidance_in.'],
  ['flux', 'time_text_embed.text_embedder.linear_1.bias', 'vector_in.'],
  ['flux', 'transformer_blocks.18.ff.net.2.weight', 'double_blocks.18.'],
  ['flux', 'single_transformer_blocks.37.proj_out.weight', 'single_blocks.37.'],
  ['flux', 'proj_out.bias', 'final_layer.'],
])('%s: %s is in %s', (kind, parameter, start) => {
  expect(originalBlockNames(kind, usual)(parameter).startsWith(start)).toBe(true);
});

describe('block names of UNets', () => {
  test('have lower numbers with one layer per block', () => {
    const blockOf = originalBlockNames('sd', ['down_blocks.0.resnets.0.conv1.weight']);
    expect(blockOf('down_blocks.0.downsamplers.0.conv.weight')).toContain('input_blocks.2.');
    expect(blockOf('down_blocks.1.resnets.0.conv1.weight')).toContain('input_blocks.3.');
    expect(blockOf('up_blocks.1.resnets.0.conv1.weight')).toContain('output_blocks.2.');
  });

  test('agree with the names that adapters have for modules', () => {
    const blockOf = originalBlockNames('sd', usual);
    for (let block = 1; block < 12; block++) {
      const part = block % 3 === 0 ? 'op' : 'in_layers_2';
      const module = diffusersName(`input_blocks_${block}_0_${part}`);
      const dotted = module.replace(/_(?=\d)|(?<=\d)_/g, '.').replace('conv.1', 'conv1');
      expect(blockOf(`${dotted}.weight`)).toContain(`input_blocks.${block}.0.`);
    }
  });
});
