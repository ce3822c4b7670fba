import { expect, test } from 'vitest';
import { chooseOnnx } from './choose-onnx.ts';

const repository = (...paths: string[]) => paths.map((path) => ({ path }));
const all = repository(
  'README.md',
  'config.json',
  'model.safetensors',
  'modules.json',
  'onnx/model.onnx',
  'onnx/model.onnx_data',
  'onnx/model_fp16.onnx',
  'onnx/model_quantized.onnx',
  '1_Pooling/config.json',
  'tokenizer.json',
  'tokenizer_config.json',
);
const settings = [
  'config config.json',
  'config modules.json',
  'config 1_Pooling/config.json',
  'config tokenizer_config.json',
];
const chosen = (files: { path: string }[], wanted = {}) =>
  chooseOnnx(files, wanted)?.map(({ role, path }) => `${role} ${path}`);

test.each<[object, string[]]>([
  [{}, ['weights onnx/model.onnx', 'part onnx/model.onnx_data']],
  [{ tag: 'q8' }, ['weights onnx/model_quantized.onnx']],
  [{ tag: 'FP16' }, ['weights onnx/model_fp16.onnx']],
  [{ path: 'onnx/model_fp16.onnx' }, ['weights onnx/model_fp16.onnx']],
])('of a repository with %j takes graph, data, tokenizer and settings', (wanted, weights) => {
  expect(chosen(all, wanted)).toEqual([...weights, 'tokenizer tokenizer.json', ...settings]);
});

test('takes weights without a graph where there is none', () => {
  const files = repository('model.safetensors', 'config.json', 'tokenizer.json');
  expect(chosen(files)).toEqual([
    'weights model.safetensors',
    'tokenizer tokenizer.json',
    'config config.json',
  ]);
  expect(chosen(files, { tag: 'q8' })).toBeUndefined();
});

test('takes nothing without a tokenizer', () => {
  expect(chosen(repository('onnx/model.onnx', 'config.json'))).toBeUndefined();
});
