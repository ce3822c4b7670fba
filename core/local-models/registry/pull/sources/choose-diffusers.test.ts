import { expect, test } from 'vitest';
import { chooseDiffusers } from './choose-diffusers.ts';

const chosen = (...paths: string[]) =>
  chooseDiffusers(paths.map((path) => ({ path, size: 1 }) as never))?.map(
    ({ path, role }) => `${role} ${path}`,
  );
const SHARED = ['model_index.json', 'unet/model.onnx', 'unet/diffusion_pytorch_model.safetensors'];

test('a model for image variations is pulled with its image encoder', () => {
  expect(
    chosen(
      ...SHARED,
      'image_encoder/model.onnx',
      'image_encoder/model.safetensors',
      'image_encoder/config.json',
      'feature_extractor/preprocessor_config.json',
      'image_normalizer/diffusion_pytorch_model.safetensors',
      'image_normalizer/diffusion_pytorch_model.bin',
    ),
  ).toEqual([
    'weights unet/model.onnx',
    'config model_index.json',
    'part image_encoder/model.onnx',
    'config image_encoder/config.json',
    'config feature_extractor/preprocessor_config.json',
    'part image_normalizer/diffusion_pytorch_model.safetensors',
  ]);
});

test('other models are pulled without it', () => {
  expect(chosen(...SHARED, 'feature_extractor/preprocessor_config.json')).toEqual([
    'weights unet/model.onnx',
    'config model_index.json',
  ]);
  expect(chosen('unet/model.onnx')).toBeUndefined();
});
