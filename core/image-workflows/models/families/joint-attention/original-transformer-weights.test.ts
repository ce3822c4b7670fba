import { expect, test } from 'vitest';
import type { StoredTensor } from '#core/tensors';
import type { WeightTable } from '../../weight-files/weight-table.ts';
import { NETWORK_FAMILIES } from '../network-families.ts';
import { sharedFluxNames } from './flux-variants.ts';
import { originalTransformer } from './original-transformer-weights.ts';

const stored = (type: string, shape: number[], start: number, end: number): StoredTensor => ({
  file: 'x',
  type,
  shape,
  start,
  end,
});
const tableOf = (...names: string[]): WeightTable =>
  new Map(names.map((name) => [name, stored('F16', [2, 2], 0, 8)]));
const familyOf = (...names: string[]) =>
  NETWORK_FAMILIES.find((family) => family.isIn(tableOf(...names)))?.name;

test('the rows of a joint projection lie where they are stored, and its scale holds for all', () => {
  const name = 'double_blocks.4.img_attn';
  const weights = originalTransformer(
    'flux',
    new Map([
      [`${name}.qkv.weight`, stored('F8_E4M3', [6, 4], 100, 124)],
      [`${name}.qkv.bias`, stored('F16', [6], 200, 212)],
      [`${name}.qkv.scale_weight`, stored('F32', [], 300, 304)],
      [`${name}.norm.key_norm.scale`, stored('F16', [2], 400, 404)],
      ['unknown.weight', stored('F16', [2], 500, 504)],
    ]),
  );
  const attention = 'transformer_blocks.4.attn';
  expect([...weights.keys()].filter((key) => !key.startsWith(`${attention}.to_`))).toEqual([
    `${attention}.norm_k.weight`,
  ]);
  expect(weights.get(`${attention}.to_k.weight`)).toMatchObject({ shape: [2, 4], start: 108, end: 116 });
  expect(weights.get(`${attention}.to_v.bias`)).toMatchObject({ shape: [2], start: 208, end: 212 });
  for (const part of ['q', 'k', 'v'])
    expect(weights.get(`${attention}.to_${part}.scale_weight`)).toMatchObject({ shape: [], start: 300 });
});

test('the gated layers of Ovis-Image in diffusers are two, and the scale of 8-bit floats holds for both', () => {
  const ff = 'transformer_blocks.0.ff';
  const weights = sharedFluxNames(
    new Map([
      ['context_embedder_norm.weight', stored('F16', [2], 0, 4)],
      [`${ff}.net.0.proj.weight`, stored('F8_E4M3', [4, 3], 100, 112)],
      [`${ff}.net.0.proj.scale_weight`, stored('F32', [], 200, 204)],
      [`${ff}.net.2.bias`, stored('F16', [2], 300, 304)],
    ]),
  );
  expect(weights.get(`${ff}.up_proj.weight`)).toMatchObject({ shape: [2, 3], start: 100, end: 106 });
  expect(weights.get(`${ff}.gate_proj.weight`)).toMatchObject({ shape: [2, 3], start: 106, end: 112 });
  for (const part of ['up_proj', 'gate_proj'])
    expect(weights.get(`${ff}.${part}.scale_weight`)).toMatchObject({ shape: [], start: 200 });
  expect(weights.has(`${ff}.down_proj.bias`)).toBe(true);
});

test('families are recognized in the original layout and in that of diffusers', () => {
  expect(familyOf('joint_blocks.0.context_block.attn.qkv.weight')).toBe('Stable Diffusion 3');
  const added = 'transformer_blocks.0.attn.add_q_proj.weight';
  expect(familyOf(added, 'pos_embed.proj.weight')).toBe('Stable Diffusion 3');
  const single = 'single_transformer_blocks.0.attn.to_q.weight';
  expect(familyOf(added, single, 'x_embedder.weight')).toBe('Flux');
  expect(familyOf('double_blocks.0.img_attn.norm.key_norm.scale', 'img_in.weight')).toBe('Flux');
  expect(familyOf('double_layers.0.attn.w1q.weight')).toBe('AuraFlow');
  expect(familyOf('joint_transformer_blocks.0.attn.add_k_proj.weight')).toBe('AuraFlow');
  // Qwen-Image has the same attention, and other tensors around it.
  expect(familyOf(added, 'img_in.weight')).toBeUndefined();
});
