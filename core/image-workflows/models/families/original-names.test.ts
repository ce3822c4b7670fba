import { expect, test } from 'vitest';
import type { StoredTensor } from '#core/tensors';
import type { WeightTable } from '../weight-files/weight-table.ts';
import { ldmAutoencoder } from './autoencoders/ldm-autoencoder-names.ts';
import { openClipText } from './text-encoders/open-clip-names.ts';
import { ldmUnet } from './unet/ldm-unet-names.ts';

const tensor = (...shape: number[]): StoredTensor => ({ file: 'x', type: 'F16', shape, start: 0, end: 1200 });
const tableOf = (names: readonly string[], ...shape: number[]): WeightTable =>
  new Map(names.map((name) => [name, tensor(...shape)]));

test('blocks of a UNet, which diffusers groups by levels', () => {
  const names: Record<string, string> = {
    'input_blocks.0.0.weight': 'conv_in.weight',
    'time_embed.0.bias': 'time_embedding.linear_1.bias',
    'time_embed.2.weight': 'time_embedding.linear_2.weight',
    'label_emb.0.2.weight': 'add_embedding.linear_2.weight',
    'input_blocks.1.0.in_layers.0.weight': 'down_blocks.0.resnets.0.norm1.weight',
    'input_blocks.1.0.emb_layers.1.weight': 'down_blocks.0.resnets.0.time_emb_proj.weight',
    'input_blocks.1.1.transformer_blocks.0.attn1.to_q.weight':
      'down_blocks.0.attentions.0.transformer_blocks.0.attn1.to_q.weight',
    'input_blocks.2.0.op.weight': 'down_blocks.0.downsamplers.0.conv.weight',
    'input_blocks.3.0.in_layers.2.weight': 'down_blocks.1.resnets.0.conv1.weight',
    'input_blocks.3.0.skip_connection.bias': 'down_blocks.1.resnets.0.conv_shortcut.bias',
    'middle_block.0.out_layers.3.weight': 'mid_block.resnets.0.conv2.weight',
    'middle_block.1.proj_in.weight': 'mid_block.attentions.0.proj_in.weight',
    'middle_block.2.out_layers.0.weight': 'mid_block.resnets.1.norm2.weight',
    'output_blocks.0.0.in_layers.0.weight': 'up_blocks.0.resnets.0.norm1.weight',
    'output_blocks.1.0.in_layers.0.weight': 'up_blocks.0.resnets.1.norm1.weight',
    // Without a transformer, the resampler takes its place.
    'output_blocks.1.1.conv.weight': 'up_blocks.0.upsamplers.0.conv.weight',
    'output_blocks.2.0.in_layers.0.weight': 'up_blocks.1.resnets.0.norm1.weight',
    'output_blocks.2.1.norm.weight': 'up_blocks.1.attentions.0.norm.weight',
    'output_blocks.2.2.conv.bias': 'up_blocks.1.upsamplers.0.conv.bias',
    'output_blocks.2.2.conv.weight': 'up_blocks.1.upsamplers.0.conv.weight',
    'output_blocks.3.1.norm.weight': 'up_blocks.2.attentions.0.norm.weight',
    'out.0.weight': 'conv_norm_out.weight',
    'out.2.bias': 'conv_out.bias',
  };
  const renamed = ldmUnet(tableOf([...Object.keys(names), 'something.else']));
  expect([...renamed.keys()].sort()).toEqual(Object.values(names).sort());
});

test('parts of an autoencoder, whose levels diffusers counts from the latent', () => {
  const names: Record<string, string> = {
    'encoder.down.0.block.1.norm1.weight': 'encoder.down_blocks.0.resnets.1.norm1.weight',
    'encoder.down.0.downsample.conv.weight': 'encoder.down_blocks.0.downsamplers.0.conv.weight',
    'encoder.mid.block_1.conv1.weight': 'encoder.mid_block.resnets.0.conv1.weight',
    'encoder.mid.attn_1.norm.bias': 'encoder.mid_block.attentions.0.group_norm.bias',
    'encoder.norm_out.weight': 'encoder.conv_norm_out.weight',
    'decoder.mid.block_2.nin_shortcut.weight': 'decoder.mid_block.resnets.1.conv_shortcut.weight',
    'decoder.up.3.upsample.conv.weight': 'decoder.up_blocks.0.upsamplers.0.conv.weight',
    'decoder.up.0.block.2.conv2.weight': 'decoder.up_blocks.3.resnets.2.conv2.weight',
    'post_quant_conv.weight': 'post_quant_conv.weight',
  };
  expect([...ldmAutoencoder(tableOf(Object.keys(names))).keys()]).toEqual(Object.values(names));
});

test('projections of an autoencoder are matrices', () => {
  const attention = tableOf(
    ['decoder.mid.attn_1.q.weight', 'decoder.mid.attn_1.proj_out.weight'],
    8,
    8,
    1,
    1,
  );
  const renamed = ldmAutoencoder(attention);
  expect(renamed.get('decoder.mid_block.attentions.0.to_q.weight')!.shape).toEqual([8, 8]);
  expect(renamed.get('decoder.mid_block.attentions.0.to_out.0.weight')!.shape).toEqual([8, 8]);
});

test('a text encoder of OpenCLIP, whose projections are joined', () => {
  const renamed = openClipText(
    new Map([
      ['positional_embedding', tensor(77, 4)],
      ['token_embedding.weight', tensor(10, 4)],
      ['ln_final.bias', tensor(4)],
      ['text_projection', tensor(4, 6)],
      ['transformer.resblocks.11.ln_2.weight', tensor(4)],
      ['transformer.resblocks.11.mlp.c_proj.bias', tensor(4)],
      ['transformer.resblocks.11.attn.in_proj_weight', tensor(12, 4)],
      ['transformer.resblocks.11.attn.out_proj.weight', tensor(4, 4)],
      ['logit_scale', tensor()],
    ]),
  );
  const layer = 'text_model.encoder.layers.11';
  expect([...renamed.keys()]).toEqual([
    'text_model.embeddings.position_embedding.weight',
    'text_model.embeddings.token_embedding.weight',
    'text_model.final_layer_norm.bias',
    'text_projection.weight',
    `${layer}.layer_norm2.weight`,
    `${layer}.mlp.fc2.bias`,
    `${layer}.self_attn.q_proj.weight`,
    `${layer}.self_attn.k_proj.weight`,
    `${layer}.self_attn.v_proj.weight`,
    `${layer}.self_attn.out_proj.weight`,
  ]);
  expect(renamed.get('text_projection.weight')).toMatchObject({ shape: [4, 6], isTransposed: true });
  expect(renamed.get(`${layer}.self_attn.k_proj.weight`)).toMatchObject({
    shape: [4, 4],
    start: 400,
    end: 800,
  });
});
