import { expect, test } from 'vitest';
import { recognizeFamily, type UnetTraits, unetTraits } from './recognize.ts';

const sd1: UnetTraits = {
  width: 320,
  inputs: 4,
  contextWidth: 768,
  hasLinearProjections: false,
  hasLabels: false,
  labelWidth: 0,
};
const sd2: UnetTraits = { ...sd1, contextWidth: 1024, hasLinearProjections: true };
const sdxl: UnetTraits = { ...sd2, contextWidth: 2048, hasLabels: true, labelWidth: 2816 };

test.each<[string, UnetTraits]>([
  ['Stable Diffusion 1', sd1],
  ['Stable Diffusion 1', { ...sd1, inputs: 9 }],
  ['Stable Diffusion 1, instruct', { ...sd1, inputs: 8 }],
  ['Stable Diffusion 2', sd2],
  ['Stable Diffusion 2, inpainting', { ...sd2, inputs: 9 }],
  ['SDXL', sdxl],
  ['SDXL refiner', { ...sdxl, width: 384, contextWidth: 1280, labelWidth: 2560 }],
])('%s', (name, traits) => expect(recognizeFamily(traits).name).toBe(name));

test('an unknown network is refused with what was found and the nearest family', () => {
  expect(() => recognizeFamily({ ...sd2, contextWidth: 999 })).toThrow(
    'a UNet with width 320, inputs 4, contextWidth 999, hasLinearProjections true, hasLabels false, labelWidth 0 is of no known family: the nearest is Stable Diffusion 2, with contextWidth 1024',
  );
});

test('reads the traits of a UNet from its weights', () => {
  const tensor = (...shape: number[]) => ({ file: 'x', type: 'F16', shape, start: 0, end: 0 });
  const table = new Map([
    ['input_blocks.0.0.weight', tensor(320, 9, 3, 3)],
    ['input_blocks.1.1.proj_in.weight', tensor(320, 320)],
    ['input_blocks.1.1.transformer_blocks.0.attn2.to_k.weight', tensor(320, 2048)],
    ['label_emb.0.0.weight', tensor(1280, 2816)],
  ]);
  expect(unetTraits(table)).toEqual({ ...sdxl, inputs: 9 });
  expect(unetTraits(new Map([['input_blocks.0.0.weight', tensor(320, 4, 3, 3)]]))).toEqual({
    ...sd1,
    contextWidth: 0,
  });
  expect(unetTraits(new Map())).toBeUndefined();
});
