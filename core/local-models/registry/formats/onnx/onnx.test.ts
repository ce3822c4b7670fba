import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ModelCorrupt, ModelUnsupported } from '#core/host';
import { encodeProtobuf, protobufMessage } from '#core/tensors/onnx-file/encode-protobuf.ts';
import { readSafetensors, type SafetensorsEntry } from '#core/tensors/read-safetensors.ts';
import { minilmFiles } from '#test/support/local-models/minilm.ts';
import { tinyBertConfig, tinyBertTensors } from '#test/support/model-files/tiny-bert.ts';
import { bertGraph } from './bert-graph.ts';
import { readGraphWeights } from './read-graph-weights.ts';

const weightsOf = (bytes: Uint8Array) =>
  readGraphWeights(bytes.length, async (start, end) => bytes.subarray(start, end));

const config = tinyBertConfig;
const tensors = tinyBertTensors;

describe('a graph that tabd builds for weights', () => {
  test('has an initializer for every tensor', async () => {
    const weights = await weightsOf(bertGraph(config, tensors(), 'model.safetensors'));
    const arrays = weights.filter(({ type, shape }) => type === 'F32' && shape.length > 0);
    expect(arrays.map(({ name, shape }) => [name, shape]).sort()).toEqual(
      tensors()
        .map(({ name, shape }) => [name, shape])
        .sort(),
    );
  });

  test.each([
    ['F32', 'f8a638729458a284a3918f2e7aff5d3853b775243a0e6f11b9b7e61b109cf5da'],
    ['F16', 'd755f7bfc4556b97e673cf1eb7a87669da7a01474cd7309600f62005a4d50fc9'],
  ])(
    'of %s weights always has the same bytes, because its digest identifies installed models',
    (type, digest) => {
      const graph = bertGraph(
        config,
        tensors().map((tensor) => ({ ...tensor, type })),
        'model.safetensors',
      );
      expect(createHash('sha256').update(graph).digest('hex')).toBe(digest);
    },
  );

  test('accepts tensor names with the prefix that some files have', () => {
    const prefixed = tensors().map((tensor) => ({ ...tensor, name: `bert.${tensor.name}` }));
    expect(() => bertGraph(config, prefixed, 'w')).not.toThrow();
  });

  test.each<[string, object, (all: SafetensorsEntry[]) => SafetensorsEntry[]]>([
    ['another network', { model_type: 'mpnet' }, (all) => all],
    ['another activation', { hidden_act: 'relu' }, (all) => all],
    ['relative positions', { position_embedding_type: 'relative_key' }, (all) => all],
    ['no sizes', { hidden_size: 'big' }, (all) => all],
    ['a billion layers', { num_hidden_layers: 1e9 }, (all) => all],
    ['a missing tensor', {}, (all) => all.slice(1)],
    [
      'a tensor of another shape',
      {},
      (all) => all.map((tensor) => ({ ...tensor, shape: [...tensor.shape, 1] })),
    ],
    ['bfloat16', {}, (all) => all.map((tensor) => ({ ...tensor, type: 'BF16' }))],
  ])('is refused for %s', (_, change, alter) => {
    expect(() => bertGraph({ ...config, ...change }, alter(tensors()), 'w')).toThrow(ModelUnsupported);
  });

  test('of a published model uses all of its parameters', async () => {
    const files = await minilmFiles();
    const graph = files.find(({ name }) => name === 'model.onnx')!;
    const { readFile } = await import('node:fs/promises');
    const weights = await weightsOf(await readFile(graph.path));
    const floats = weights.filter(({ type }) => type === 'F32');
    const count = floats.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0);
    expect(count).toBeGreaterThan(22_500_000);
  }, 120_000);
});

describe('hostile files', () => {
  const valid = bertGraph(config, tensors(), 'w');

  test.each([
    ['an empty file', new Uint8Array(0)],
    ['a text', new TextEncoder().encode('<!DOCTYPE html><title>Sign in</title>')],
    ['a graph that is cut off', valid.slice(0, valid.length / 2)],
    ['zeros', new Uint8Array(1000)],
    ['a length beyond the end', Uint8Array.of(0x3a, 0xff, 0xff, 0xff, 0xff, 0x7f)],
    ['an endless number', new Uint8Array(100).fill(0xff)],
    ['no graph', encodeProtobuf(protobufMessage([1, 8]))],
  ])('%s is no ONNX file', async (_, bytes) => {
    await expect(weightsOf(bytes)).rejects.toThrow(ModelCorrupt);
  });

  test('changed bytes cause no error except ModelCorrupt', async () => {
    let seed = 1;
    const random = () => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return seed >> 8;
    };
    for (let round = 0; round < 200; round++) {
      const bytes = valid.slice();
      for (let i = 0; i < 5; i++) bytes[random() % bytes.length] = random();
      await weightsOf(bytes).catch((error) => expect(error).toBeInstanceOf(ModelCorrupt));
    }
  });

  const table = (json: unknown, size = 1000) => {
    const header = new TextEncoder().encode(typeof json === 'string' ? json : JSON.stringify(json));
    const bytes = new Uint8Array(size);
    new DataView(bytes.buffer).setBigUint64(0, BigInt(header.length), true);
    bytes.set(header, 8);
    return bytes;
  };
  test.each([
    ['too short', new Uint8Array(5)],
    ['no JSON', table('{"a":')],
    ['a header longer than the file', new Uint8Array(100).fill(0xff)],
    ['a tensor outside', table({ w: { dtype: 'F32', shape: [1], data_offsets: [0, 5000] } })],
    ['a tensor backwards', table({ w: { dtype: 'F32', shape: [1], data_offsets: [8, 4] } })],
    ['a tensor without a shape', table({ w: { dtype: 'F32', data_offsets: [0, 4] } })],
  ])('safetensors: %s', async (_, bytes) => {
    const read = async (start: number, end: number) => bytes.subarray(start, end);
    await expect(readSafetensors(bytes.length, read)).rejects.toThrow(ModelCorrupt);
  });
});
