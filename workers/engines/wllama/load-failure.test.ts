import { expect, test } from 'vitest';
import { deserializeEngineError } from '#core/host';
import { agrees, asExpected } from '../shared/known-answer.ts';
import { loadFailure } from './load-failure.ts';
import { MemoryTally } from './memory-tally.ts';

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
])('what llama.cpp prints when it cannot load: %j', (lines, name, message) => {
  const error = deserializeEngineError(loadFailure(lines));
  expect(error.name).toBe(name);
  expect(error.message).toBe(message);
});

test('a prompt that is too long keeps its numbers', () => {
  expect(
    deserializeEngineError({ kind: 'context', message: '', promptTokens: 310, contextLength: 256 }),
  ).toMatchObject({
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

const likeliest: [string, number][] = [
  [' four', -1.44],
  [' six', -2.53],
  [' one', -2.6],
  [' two', -3.1],
  ['\n', -3.2],
];

test('a GPU that knows the answer is trusted', () => {
  expect(asExpected({ text: ' four one', likeliest, finite: true })).toBe(true);
  expect(asExpected({ text: '', likeliest, finite: true })).toBe(false);
  expect(asExpected({ text: ' fourteen', likeliest, finite: true })).toBe(false);
  expect(asExpected({ text: ' four', likeliest, finite: false })).toBe(false);
});

test('one that does not is held against the CPU, by probabilities', () => {
  const cpu = { text: 'x', likeliest, finite: true };
  const moved = (by: number) =>
    likeliest.map(([token, logprob], i): [string, number] => [token, logprob + (i % 2 ? by : -by)]);
  expect(agrees(cpu, cpu)).toBe(true);
  // Rounding changes the order of near equals, and what is just outside of the list.
  expect(agrees({ ...cpu, likeliest: moved(0.1).reverse() }, cpu)).toBe(true);
  expect(agrees({ ...cpu, likeliest: [...likeliest.slice(0, 3), [' z', -3], [' y', -3]] }, cpu)).toBe(true);
  expect(agrees({ ...cpu, likeliest: moved(0.8) }, cpu)).toBe(false);
  expect(agrees({ ...cpu, likeliest: [['<|endoftext|>', -0.01], ...likeliest.slice(3)] }, cpu)).toBe(false);
  expect(agrees({ ...cpu, likeliest: [] }, cpu)).toBe(false);
  expect(agrees({ ...cpu, finite: false }, cpu)).toBe(false);
});
