import { expect, test } from 'vitest';
import { recognizeFamily, type UnetTraits, unetTraits } from './recognize.ts';

const sd1: UnetTraits = {
  width: 320,
  inputs: 4,
  contextWidth: 768,
  hasLinearProjections: false,
  hasLabels: false,
  labelWidth: 0,
  depths: '1,1,1,1,1,1,0,0',
  isVideo: false,
  hasProjectedPrompt: false,
};
const sd2: UnetTraits = { ...sd1, contextWidth: 1024, hasLinearProjections: true };
const sdxl: UnetTraits = {
  ...sd2,
  contextWidth: 2048,
  hasLabels: true,
  labelWidth: 2816,
  depths: '0,0,2,2,10,10',
};

test.each<[string, UnetTraits]>([
  ['Stable Diffusion 1', sd1],
  ['Stable Diffusion 1', { ...sd1, inputs: 9 }],
  ['Stable Diffusion 1, instruct', { ...sd1, inputs: 8 }],
  ['Stable Diffusion 2', sd2],
  ['Stable Diffusion 2, inpainting', { ...sd2, inputs: 9 }],
  ['SDXL', sdxl],
  ['SSD-1B', { ...sdxl, depths: '0,0,2,2,4,4' }],
  ['Segmind Vega', { ...sdxl, depths: '0,0,1,1,2,2' }],
  ['KOALA 700M', { ...sdxl, depths: '0,2,5' }],
  ['KOALA 1B', { ...sdxl, depths: '0,2,6' }],
  ['Stable unCLIP, CLIP L', { ...sd2, hasLabels: true, labelWidth: 1536 }],
  ['Stable unCLIP, CLIP H', { ...sd2, hasLabels: true, labelWidth: 2048 }],
  ['Lotus', { ...sd2, hasLabels: true, labelWidth: 4 }],
  ['Stable Diffusion x4 upscaler', { ...sd2, width: 256, inputs: 7 }],
  ['Stable Zero123', { ...sd1, inputs: 8, hasProjectedPrompt: true }],
  ['Stable Video Diffusion', { ...sd2, inputs: 8, hasLabels: true, labelWidth: 768, isVideo: true }],
  ['SV3D u', { ...sd2, inputs: 8, hasLabels: true, labelWidth: 256, isVideo: true }],
  ['SV3D p', { ...sd2, inputs: 8, hasLabels: true, labelWidth: 1280, isVideo: true }],
  ['SDXL refiner', { ...sdxl, width: 384, contextWidth: 1280, labelWidth: 2560 }],
])('%s', (name, traits) => expect(recognizeFamily(traits).name).toBe(name));

test('an unknown network is refused with what was found and the nearest family', () => {
  expect(() => recognizeFamily({ ...sd2, contextWidth: 999 })).toThrow(
    'a UNet with width 320, inputs 4, contextWidth 999, hasLinearProjections true, hasLabels false, labelWidth 0, depths 1,1,1,1,1,1,0,0 is of no known family: the nearest is Stable Diffusion 2, with contextWidth 1024',
  );
});

test('counts the transformer blocks, and finds layers over frames', () => {
  const tensor = { file: 'x', type: 'F16', shape: [320, 4, 3, 3], start: 0, end: 0 };
  const names = [
    'input_blocks.0.0.weight',
    'input_blocks.1.0.in_layers.0.weight',
    'input_blocks.2.0.in_layers.0.weight',
    'input_blocks.2.0.time_stack.in_layers.0.weight',
    'input_blocks.2.1.transformer_blocks.0.norm1.weight',
    'input_blocks.2.1.transformer_blocks.1.norm1.weight',
    'input_blocks.3.0.op.weight',
    'input_blocks.4.0.in_layers.0.weight',
  ];
  const traits = unetTraits(new Map(names.map((name) => [name, tensor])));
  expect(traits).toMatchObject({ depths: '0,2,0', isVideo: true });
});

test('reads the traits of a UNet from its weights', () => {
  const tensor = (...shape: number[]) => ({ file: 'x', type: 'F16', shape, start: 0, end: 0 });
  const table = new Map([
    ['input_blocks.0.0.weight', tensor(320, 9, 3, 3)],
    ['input_blocks.1.1.proj_in.weight', tensor(320, 320)],
    ['input_blocks.1.1.transformer_blocks.0.attn2.to_k.weight', tensor(320, 2048)],
    ['label_emb.0.0.weight', tensor(1280, 2816)],
  ]);
  expect(unetTraits(table)).toEqual({ ...sdxl, inputs: 9, depths: '' });
  expect(unetTraits(new Map([['input_blocks.0.0.weight', tensor(320, 4, 3, 3)]]))).toEqual({
    ...sd1,
    contextWidth: 0,
    depths: '',
  });
  expect(unetTraits(new Map())).toBeUndefined();
});
