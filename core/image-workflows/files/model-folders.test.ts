import { expect, it } from 'vitest';
import {
  isListedFile,
  isModelFile,
  modelFolder,
  modelKinds,
  modelLocations,
  modelPathOf,
} from './model-folders.ts';

it('modelFolder knows folders by their names and their older names', () => {
  expect(['loras', 'unet', 'clip', 'output', ''].map((name) => modelFolder(name))).toEqual([
    ...['loras', 'diffusion_models', 'text_encoders'],
    ...[undefined, undefined],
  ]);
});

it('modelLocations puts installed models before saved ones', () => {
  expect(modelLocations('text_encoders')).toEqual([
    ...['models/text_encoders', 'models/clip', 'output/clip'],
  ]);
  expect(modelLocations('gligen')).toEqual(['models/gligen']);
});

const places = [
  { path: 'external/models' },
  { kind: 'unet', path: 'external/a' },
  { kind: 'diffusion_models', path: 'external/first', isDefault: true },
  { kind: 'unet', path: 'external/before', isDefault: true },
  { kind: 'ipadapter', path: 'external/ip' },
  { kind: 'custom_nodes', path: 'external/code' },
];

it('modelLocations puts default places first, the last of them before the others', () => {
  expect(modelLocations('diffusion_models', places)).toEqual([
    ...['external/before', 'external/first', 'models/diffusion_models', 'models/unet'],
    ...['external/models/diffusion_models', 'external/models/unet', 'external/a', 'output/diffusion_models'],
  ]);
  expect(modelLocations('controlnet', places)).toEqual([
    ...['models/controlnet', 'models/t2i_adapter'],
    ...['external/models/controlnet', 'external/models/t2i_adapter'],
  ]);
  expect(modelLocations('custom_nodes', places)).toEqual(['models/custom_nodes']);
});

it('a folder of newer versions works without being listed', () => {
  expect(modelFolder('latent_upscale_models')).toBe('latent_upscale_models');
  expect(modelKinds()).not.toContain('latent_upscale_models');
});

it('a kind that only a place names is a folder of all files', () => {
  expect(modelKinds(places).slice(-3)).toEqual(['model_patches', 'audio_encoders', 'ipadapter']);
  expect(modelKinds(places)).toHaveLength(modelKinds().length + 1);
  expect(modelFolder('ipadapter', places)).toBe('ipadapter');
  expect(modelFolder('ipadapter')).toBeUndefined();
  expect(modelLocations('ipadapter', places)).toContain('external/ip');
  expect([isListedFile('ipadapter', 'a.txt'), isListedFile('loras', 'a.txt')]).toEqual([true, false]);
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
