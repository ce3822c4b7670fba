import { expect, test } from 'vitest';
import { describeContents } from './describe-contents.ts';
import type { WeightFile } from './read-weight-file.ts';

const fileWith = (...names: string[]): WeightFile => ({
  path: 'm/x',
  name: 'x',
  modifiedAt: 1,
  parts: [],
  table: new Map(names.map((name) => [name, { file: 'x', type: 'F16', shape: [], start: 0, end: 0 }])),
});

test.each([
  ['a checkpoint', 'model.diffusion_model.out.0.bias'],
  ['a LoRA or one of its relatives', 'lora_unet_mid_block_attn1_to_q.lora_up.weight'],
  ['a control net', 'control_model.zero_convs.0.0.weight'],
  ['an autoencoder', 'decoder.mid.block_1.conv1.weight'],
  ['a text encoder', 'text_model.encoder.layers.0.mlp.fc1.weight'],
  ['a diffusion network', 'double_blocks.0.img_attn.qkv.weight'],
  ['a learned embedding', 'emb_params'],
])('%s is the kind nearest to %s', (kind, name) => {
  expect(describeContents(fileWith(name))).toContain(`the nearest kind is ${kind},`);
});

test('a vision encoder is no PhotoMaker, which contains one', () => {
  const encoder = 'vision_model.post_layernorm.bias';
  expect(describeContents(fileWith(encoder))).toContain('a vision encoder, for CLIPVisionLoader');
  const photoMaker = fileWith(encoder, 'fuse_module.mlp1.fc1.weight');
  expect(describeContents(photoMaker)).toContain('an encoder of PhotoMaker, for PhotoMakerLoader');
});

test('most names decide, and the first ones are shown', () => {
  expect(describeContents(fileWith('emb_params', 'up_blocks.0.a', 'up_blocks.1.a', 'up_blocks.2.a'))).toBe(
    'its 4 tensors begin with emb_params, up_blocks.0.a, up_blocks.1.a: the nearest kind is a diffusion network, for UNETLoader',
  );
  expect(describeContents(fileWith('something'))).toContain('they resemble no kind of model');
  expect(describeContents(fileWith())).toBe('the file has no tensors');
});
