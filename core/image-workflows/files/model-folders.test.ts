import { expect, it } from 'vitest';
import { isModelFile, modelFolder, modelLocations, modelPathOf } from './model-folders.ts';

it('modelFolder knows folders by their names and their older names', () => {
  expect(['loras', 'unet', 'clip', 'output', ''].map(modelFolder)).toEqual([
    ...['loras', 'diffusion_models', 'text_encoders'],
    ...[undefined, undefined],
  ]);
});

it('modelLocations puts installed models before saved ones', () => {
  expect(modelLocations('text_encoders')).toEqual(['models/text_encoders', 'output/clip']);
  expect(modelLocations('gligen')).toEqual(['models/gligen']);
});

it.each([
  ['output/clip', 'models/text_encoders'],
  ['output/clip/a/b.onnx', 'models/text_encoders/a/b.onnx'],
  ['output/clip2/a', undefined],
  ['output/a', undefined],
  ['models/vae/a', undefined],
])('modelPathOf(%s) is %s', (path, expected) => {
  expect(modelPathOf(path)).toBe(expected);
});

it('isModelFile goes by the extension, in any case', () => {
  const names = ['a.safetensors', 'a.ONNX', 'a.pt2', 'a.txt', 'onnx', 'a.ckpt.png'];
  expect(names.filter(isModelFile)).toEqual(['a.safetensors', 'a.ONNX', 'a.pt2']);
});
