import { expect, test } from 'vitest';
import { loadFailure, toError } from './failure.ts';
import { agrees, asExpected } from './known-answer.ts';
import { MemoryTally } from './memory.ts';

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
  [[], 'ModelCorrupt', 'the model did not load'],
])('what llama.cpp prints when it cannot load: %j', (lines, name, message) => {
  const error = toError(loadFailure(lines));
  expect(error.name).toBe(name);
  expect(error.message).toBe(message);
});

test('a prompt that is too long keeps its numbers', () => {
  expect(toError({ kind: 'context', message: '', promptTokens: 310, contextLength: 256 })).toMatchObject({
    name: 'ContextExceeded',
    promptTokens: 310,
    contextLength: 256,
  });
});

test('memory is added up by device from what llama.cpp prints', () => {
  const tally = new MemoryTally();
  for (const line of [
    'load_tensors:          CPU model buffer size =    27.00 MiB',
    'load_tensors:       WebGPU model buffer size =    65.00 MiB',
    'llama_context:        CPU  output buffer size =     0.25 MiB',
    'llama_kv_cache:     WebGPU KV buffer size =    45.00 MiB',
    'sched_reserve:     WebGPU compute buffer size =    15.50 MiB',
    'print_info: file size   = 92.10 MiB (5.74 BPW) ',
  ]) {
    tally.read(line);
  }
  expect(tally.gpu).toBe(125.5 * 2 ** 20);
  expect(tally.total).toBe(152.75 * 2 ** 20);
});

test('a GPU is trusted when it knows the answer, and asked about when not', () => {
  const right = { text: ' C A', ids: [340, 330], finite: true };
  expect(asExpected(right)).toBe(true);
  expect(asExpected({ ...right, text: '' })).toBe(false);
  expect(asExpected({ ...right, text: ' Cat' })).toBe(false);
  expect(asExpected({ ...right, finite: false })).toBe(false);
  expect(agrees({ ...right, text: 'x' }, { ...right, text: 'x' })).toBe(true);
  expect(agrees({ ...right, ids: [340, 331] }, right)).toBe(false);
  expect(agrees({ ...right, ids: [] }, { ...right, ids: [] })).toBe(false);
  expect(agrees({ ...right, finite: false }, right)).toBe(false);
});
