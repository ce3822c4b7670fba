import { expect, test } from 'vitest';
import { modelFormatOf, roleOfPath } from './file-roles.ts';

test.each([
  ['onnx/model.onnx', 'weights'],
  ['model.safetensors', 'weights'],
  ['onnx/model.onnx_data', 'part'],
  ['onnx/model.onnx_data_12', 'part'],
  ['model.onnx.data', 'part'],
  ['model.onnx_data_', 'weights'],
  ['model.onnx_data.json', 'config'],
  ['tokenizer.json', 'tokenizer'],
  ['unet/tokenizer.json', 'tokenizer'],
  ['my-tokenizer.json', 'config'],
  ['tokenizer.json/model.onnx', 'weights'],
  ['', 'weights'],
])('the file "%s" is of the role %s', (path, role) => {
  expect(roleOfPath(path)).toBe(role);
});

test.each<[string, Parameters<typeof modelFormatOf>[0], string]>([
  ['no files', [], 'gguf'],
  ['weights without a name', [{ role: 'weights' }], 'gguf'],
  [
    'a projector with the name of a graph',
    [{ role: 'projector', name: 'a.onnx' }, { role: 'weights' }],
    'gguf',
  ],
  [
    'an ONNX graph',
    [
      { role: 'config', name: 'config.json' },
      { role: 'weights', name: 'a.onnx' },
    ],
    'onnx',
  ],
  [
    'several graphs with their index',
    [
      { role: 'weights', name: 'unet/model.onnx' },
      { role: 'config', name: 'model_index.json' },
    ],
    'diffusers',
  ],
  ['an index in a folder', [{ role: 'config', name: 'a/model_index.json' }], 'gguf'],
  [
    'a library',
    [
      { role: 'weights', name: 'a.onnx' },
      { role: 'library', name: 'a.wasm' },
    ],
    'mlc',
  ],
])('the format of %s', (_, files, format) => {
  expect(modelFormatOf(files)).toBe(format);
});
