import { expect, test } from 'vitest';
import { deserializeEngineError } from '#core/host';
import { wllamaLoadError } from './load-failure.ts';

test.each([
  [
    ["gguf_init_from_reader: invalid magic characters: '????', expected 'GGUF'"],
    'ModelCorrupt',
    "invalid magic characters: '????', expected 'GGUF'",
  ],
  [
    [
      "llama_model_load: error loading model: tensor 'blk.11.ffn_up.weight' data is not within the file bounds, model is corrupted or incomplete",
      'llama_model_load_from_file_impl: failed to load model',
    ],
    'ModelCorrupt',
    "tensor 'blk.11.ffn_up.weight' data is not within the file bounds, model is corrupted or incomplete",
  ],
  [
    ['gguf_init_from_reader: failed to read key-value pairs'],
    'ModelCorrupt',
    'failed to read key-value pairs',
  ],
  [
    ["check_tensor_dims: tensor 'blk.0.attn_q.weight' not found"],
    'ModelCorrupt',
    "tensor 'blk.0.attn_q.weight' not found",
  ],
  [
    ["llama_model_load: error loading model: unknown model architecture: 'xlama'"],
    'ModelUnsupported',
    "unknown model architecture: 'xlama'",
  ],
  [
    [
      'ggml_aligned_malloc: insufficient memory (attempted to allocate 8791.88 MB)',
      "srv    load_model: failed to create_context with model 'models/model-00001-of-00001.gguf'",
    ],
    'OutOfMemory',
    'insufficient memory (attempted to allocate 8791.88 MB)',
  ],
  [['std::bad_alloc'], 'OutOfMemory', 'std::bad_alloc'],
  [
    ['(ABORT) Aborted(native code called abort())'],
    'EngineCrashed',
    '(ABORT) Aborted(native code called abort())',
  ],
  [[], 'EngineCrashed', 'the model did not load'],
])('the lines %j become the right error', (lines, name, message) => {
  const error = deserializeEngineError(wllamaLoadError(lines));
  expect(error.name).toBe(name);
  expect(error.message).toBe(message);
});
