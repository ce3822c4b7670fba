import { expect, test } from 'vitest';
import { ModelCorrupt, type ModelFile } from '#core/host';
import { MemoryBlobs } from '#test/support/host/memory-blobs.ts';
import { CHATML } from '#test/support/model-files/tiny-gguf.ts';
import { EMPTY_LIBRARY, type TinyMlcOptions, tinyMlc } from '#test/support/model-files/tiny-mlc.ts';
import { mlcMetadata, shardPaths } from './mlc-metadata.ts';

const CONFIG = 'mlc-chat-config.json';
const LIST = 'tensor-cache.json';
const LIBRARY = 'library.wasm';

/** Replaces a file: by bytes, a text, JSON, or nothing. */
type Changes = Record<string, Uint8Array | string | object | undefined>;

async function read(changes: Changes = {}, options: TinyMlcOptions = {}) {
  const blobs = new MemoryBlobs();
  const files: ModelFile[] = [];
  const contents: Changes = { ...tinyMlc(options), [LIBRARY]: EMPTY_LIBRARY, ...changes };
  for (const [name, content] of Object.entries(contents)) {
    if (content === undefined) continue;
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    const bytes = content instanceof Uint8Array ? content : new TextEncoder().encode(text);
    const role = name === LIBRARY ? 'library' : name.startsWith('params') ? 'weights' : 'config';
    files.push({ role, name, ...(await blobs.put(bytes)) });
  }
  return await mlcMetadata(blobs, files);
}

const shard = (dataPath: string | undefined, nbytes: unknown) => ({ dataPath, nbytes, records: [] });
const FIRST = shard('params_shard_0.bin', 256);
const SECOND = shard('params_shard_1.bin', 128);

test('reads the configuration with the keys of GGUF', async () => {
  const metadata = await read();
  expect(metadata).toMatchObject({
    architecture: 'llama',
    quantization: 'q0f32',
    parameterCount: 96,
    contextLength: 2048,
    embeddingLength: 16,
    chatTemplate: CHATML,
    bosToken: '<|im_start|>',
    eosToken: '<|im_end|>',
    addBos: false,
  });
  expect(Object.fromEntries(metadata.keyValues)).toEqual({
    'general.architecture': 'llama',
    'llama.context_length': 2048,
    'llama.embedding_length': 16,
    'llama.block_count': 2,
    'llama.feed_forward_length': 32,
    'llama.attention.head_count': 4,
    'llama.attention.head_count_kv': 2,
    'llama.vocab_size': 99,
  });
  expect(metadata.tensors).toEqual([
    { name: 'model.layer.0', type: 'FLOAT32', shape: [64] },
    { name: 'model.layer.1', type: 'FLOAT32', shape: [32] },
  ]);
});

test('reads the former name of the list of weights', async () => {
  expect(await read({}, { olderList: true })).toEqual(await read());
});

test('the present name of the list takes precedence', async () => {
  const metadata = await read({ 'ndarray-cache.json': { records: [shard('missing.bin', 1)] } });
  expect(metadata.tensors).toHaveLength(2);
});

test.each<[string, object, number]>([
  ['the window of the model', { context_window_size: 8, model_config: { context_window_size: 9 } }, 9],
  ['the window of the chat', { context_window_size: 8, model_config: { max_position_embeddings: 9 } }, 8],
  ['the number of positions', { model_config: { max_position_embeddings: 9 } }, 9],
  ['a window without a limit', { context_window_size: -1 }, 0],
  ['a text', { context_window_size: '8' }, 0],
  ['nothing', {}, 0],
])('the context length follows from %s', async (_, config, length) => {
  const { contextLength, keyValues } = await read({ [CONFIG]: config });
  expect(contextLength).toBe(length);
  expect(new Map(keyValues).get('unknown.context_length')).toBe(length || undefined);
});

test.each<[string, unknown, string | undefined]>([
  ['a text', 'T', 'T'],
  [
    'named ones',
    [
      { name: 'tool_use', template: 'U' },
      { name: 'default', template: 'D' },
    ],
    'D',
  ],
  ['named ones without a default', [{ name: 'tool_use', template: 'U' }, null], undefined],
  ['a number', 7, undefined],
])('the chat template of the tokenizer: %s', async (_, template, expected) => {
  const config = { 'tokenizer_config.json': { chat_template: template }, [CONFIG]: {} };
  expect((await read(config)).chatTemplate).toBe(expected);
});

test('the template of the configuration serves where the tokenizer has none', async () => {
  const { chatTemplate, bosToken } = await read({ 'tokenizer_config.json': undefined });
  expect(chatTemplate).toContain("{{ '<|im_start|>user' }}");
  expect(bosToken).toBeUndefined();
});

test('fields of a wrong type count as absent', async () => {
  const list = {
    metadata: [],
    records: [
      { ...FIRST, records: [7, { shape: [1, 'x'] }] },
      { ...SECOND, records: 7 },
    ],
  };
  const metadata = await read({
    [CONFIG]: { model_type: 7, quantization: null, model_config: 'x', vocab_size: '9' },
    'tokenizer_config.json': [],
    [LIST]: list,
  });
  expect(metadata).toMatchObject({ architecture: 'unknown', quantization: 'unknown', parameterCount: 0 });
  expect(metadata.keyValues).toEqual([['general.architecture', 'unknown']]);
  expect(metadata.tensors).toEqual([
    { name: '', type: 'unknown', shape: [] },
    { name: '', type: 'unknown', shape: [1] },
  ]);
});

test.each<[string, Changes, string]>([
  ['no configuration', { [CONFIG]: undefined }, `it has no ${CONFIG}`],
  ['a configuration that is no JSON', { [CONFIG]: '<html>' }, `${CONFIG} is no JSON`],
  ['an empty configuration', { [CONFIG]: '' }, `${CONFIG} is no JSON`],
  ['a tokenizer that is no JSON', { 'tokenizer_config.json': '{' }, 'tokenizer_config.json is no JSON'],
  ['no list of weights', { [LIST]: undefined }, `it has no ${LIST}`],
  ['a list without files', { [LIST]: { records: [] } }, 'its list of weights names no file'],
  ['a list of another type', { [LIST]: { records: 'x' } }, 'its list of weights names no file'],
  ['a missing file', { 'params_shard_1.bin': undefined }, 'it has no file params_shard_1.bin'],
  [
    'a file that is too short',
    { 'params_shard_1.bin': new Uint8Array(127) },
    'params_shard_1.bin has 127 bytes, and its list of weights says 128',
  ],
  ['no library', { [LIBRARY]: undefined }, 'it has no model library (.wasm)'],
  ['an empty library', { [LIBRARY]: new Uint8Array() }, 'its model library is no WebAssembly'],
  ['a library of HTML', { [LIBRARY]: '<!doctype html>' }, 'its model library is no WebAssembly'],
])('refuses %s', async (_, changes, message) => {
  await expect(read(changes)).rejects.toThrow(new ModelCorrupt(message));
});

test.each<[string, object[]]>([
  ['no length', [shard('params_shard_0.bin', undefined)]],
  ['a length that is no number', [shard('params_shard_0.bin', '1')]],
  ['an entry without a path before it', [shard(undefined, 5), FIRST]],
])('accepts a file in a list with %s', async (_, records) => {
  expect((await read({ [LIST]: { records } })).parameterCount).toBe(0);
});

test.each<[unknown, string[]]>([
  [{ records: [SECOND, FIRST] }, ['params_shard_1.bin', 'params_shard_0.bin']],
  [{ records: [null, 7, {}, { dataPath: 7 }, FIRST] }, ['params_shard_0.bin']],
  [{ records: {} }, []],
  [null, []],
])('the paths of %j', (list, paths) => {
  expect(shardPaths(list)).toEqual(paths);
});
