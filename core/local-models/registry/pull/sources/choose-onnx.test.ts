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
const configuration = [
  'config config.json',
  'config modules.json',
  'config 1_Pooling/config.json',
  'config tokenizer_config.json',
];
const chosenFiles = (files: { path: string }[], choice = {}) =>
  chooseOnnx(files, choice)?.map(({ role, path }) => `${role} ${path}`);

test.each<[object, string[]]>([
  [{}, ['weights onnx/model.onnx', 'part onnx/model.onnx_data']],
  [{ tag: 'q8' }, ['weights onnx/model_quantized.onnx']],
  [{ tag: 'FP16' }, ['weights onnx/model_fp16.onnx']],
  [{ path: 'onnx/model_fp16.onnx' }, ['weights onnx/model_fp16.onnx']],
])('for %j chooses graph, data, tokenizer and configuration', (choice, weights) => {
  expect(chosenFiles(all, choice)).toEqual([...weights, 'tokenizer tokenizer.json', ...configuration]);
});

test('chooses weights without a graph in a repository without graphs', () => {
  const files = repository('model.safetensors', 'config.json', 'tokenizer.json');
  expect(chosenFiles(files)).toEqual([
    'weights model.safetensors',
    'tokenizer tokenizer.json',
    'config config.json',
  ]);
  expect(chosenFiles(files, { tag: 'q8' })).toBeUndefined();
});

test('chooses nothing without a tokenizer', () => {
  expect(chosenFiles(repository('onnx/model.onnx', 'config.json'))).toBeUndefined();
});
