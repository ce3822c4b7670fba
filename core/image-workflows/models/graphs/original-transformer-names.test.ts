import { expect, test } from 'vitest';
import { diffusersModuleKeys, diffusersModules } from './original-transformer-names.ts';

test('modules of one layout have one or several counterparts', () => {
  expect(diffusersModules('flux', 'single_blocks.12.linear1')).toEqual([
    { module: 'single_transformer_blocks.12.attn.to_q', start: 0, end: 1, total: 7 },
    { module: 'single_transformer_blocks.12.attn.to_k', start: 1, end: 2, total: 7 },
    { module: 'single_transformer_blocks.12.attn.to_v', start: 2, end: 3, total: 7 },
    { module: 'single_transformer_blocks.12.proj_mlp', start: 3, end: 7, total: 7 },
  ]);
  expect(diffusersModules('sd3', 't_embedder.mlp.2')).toMatchObject([
    { module: 'time_text_embed.timestep_embedder.linear_2', start: 0, end: 1, total: 1 },
  ]);
  expect(diffusersModules('flux', 'distilled_guidance_layer.norms.3')).toMatchObject([
    { module: 'distilled_guidance_layer.norms.3' },
  ]);
  expect(diffusersModules('sd3', 'double_blocks.0.img_attn.qkv')).toBeUndefined();
});

test('names in adapters, with _ for every dot', () => {
  expect(diffusersModuleKeys('joint_blocks_7_x_block_attn2_qkv')).toMatchObject([
    [
      { module: 'transformer_blocks_7_attn2_to_q', end: 1, total: 3 },
      { module: 'transformer_blocks_7_attn2_to_k' },
      { module: 'transformer_blocks_7_attn2_to_v', start: 2 },
    ],
  ]);
  expect(diffusersModuleKeys('double_layers_3_mlpX_c_fc1')).toMatchObject([
    [{ module: 'joint_transformer_blocks_3_ff_linear_1' }],
  ]);
  expect(diffusersModuleKeys('single_blocks_3_linear2')).toMatchObject([
    [{ module: 'single_transformer_blocks_3_proj_out' }],
    [{ module: 'single_transformer_blocks_3_proj_out' }],
    [{ module: 'single_transformer_blocks_3_attn_to_out' }],
  ]);
  // Variants of a network share names, but not the shares of the rows.
  const totals = diffusersModuleKeys('single_blocks_3_linear1').map(([part]) => part!.total);
  expect(totals).toEqual([7, 11, 1]);
  expect(diffusersModuleKeys('transformer_blocks_3_ff_net_0_proj')).toMatchObject([
    [
      { module: 'transformer_blocks_3_ff_up_proj' },
      { module: 'transformer_blocks_3_ff_gate_proj', start: 1 },
    ],
  ]);
  expect(diffusersModuleKeys('final_layer_linear')[0]).toMatchObject([{ module: 'proj_out' }]);
  expect(diffusersModuleKeys('transformer_blocks_0_attn_to_q')).toEqual([]);
});
