import { describe, expect, test } from 'vitest';
import {
  type Device,
  type LoadOptions,
  ModelCorrupt,
  type ModelFile,
  ModelUnsupported,
  type Tensor,
  type TensorEngine,
  type TensorProvider,
  type TensorSession,
} from '#core/host';
import { sentenceEngine } from './sentence-engine.ts';

const never = new AbortController().signal;
const options: LoadOptions = { contextLength: 512, batchSize: 512, gpuLayers: -1, threads: 3 };
const GPU: Device = { kind: 'gpu', name: 'WebGPU (test)' };
const CPU: Device = { kind: 'cpu', name: 'CPU, 1 thread' };

const TOKENIZER = {
  version: '1.0',
  added_tokens: [],
  normalizer: { type: 'Lowercase' },
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: null,
  decoder: null,
  model: {
    type: 'WordLevel',
    vocab: { '[UNK]': 0, paris: 1, is: 2, the: 3, capital: 4 },
    unk_token: '[UNK]',
  },
};

interface FakeSession extends TensorSession {
  providers: TensorProvider[];
  disposed: boolean;
  feeds: Record<string, Tensor>[];
}

/** `vector`: the pooled vector of every text on a device, or the error of its run. */
function setUp(
  vector: (device: Device['kind']) => number[] | Error,
  {
    devices = ['gpu', 'cpu'] as Device['kind'][],
    inputs = ['input_ids', 'attention_mask'],
    files = {} as Record<string, unknown>,
    openFailure = undefined as ((device: Device['kind']) => Error | undefined) | undefined,
  } = {},
) {
  const sessions: FakeSession[] = [];
  const warnings: string[] = [];
  const tensors = {
    name: 'onnx-test',
    async open(_files, { providers }) {
      const kind = providers.includes('webgpu') && devices.includes('gpu') ? 'gpu' : 'cpu';
      const failure = openFailure?.(kind);
      if (failure) throw failure;
      const session: FakeSession = {
        providers,
        disposed: false,
        feeds: [],
        device: kind === 'gpu' ? GPU : CPU,
        inputs: inputs.map((name) => ({ name, type: 'int64' as const, shape: ['batch', 'length'] })),
        outputs: [{ name: 'sentence_embedding', type: 'float32', shape: ['batch', 2] }],
        memory: { total: 1, gpu: 0 },
        gone: new Promise(() => {}),
        async run(feeds) {
          this.feeds.push(feeds);
          const result = vector(kind);
          if (result instanceof Error) throw result;
          const count = feeds.input_ids!.shape[0]!;
          const data = Float32Array.from(Array.from({ length: count }, () => result).flat());
          return { sentence_embedding: { type: 'float32', shape: [count, result.length], data } };
        },
        async dispose() {
          this.disposed = true;
        },
      };
      sessions.push(session);
      return session;
    },
  } as TensorEngine;
  const contents: Record<string, unknown> = {
    'tokenizer.json': TOKENIZER,
    'config.json': { model_type: 'bert', max_position_embeddings: 16 },
    ...files,
  };
  const blobs = {
    read: (digest: string) =>
      new Blob([JSON.stringify(contents[digest.slice('sha256:'.length)])]).stream() as ReadableStream<
        Uint8Array<ArrayBuffer>
      >,
  };
  const log = { debug() {}, info() {}, error() {}, warn: (message: string) => void warnings.push(message) };
  const engine = sentenceEngine({ tensors, blobs, log });
  const modelFiles: ModelFile[] = [
    { role: 'weights', digest: 'sha256:model', size: 1, name: 'model.onnx' },
    ...Object.entries(contents).map(
      ([name, value]): ModelFile => ({
        role: name.startsWith('tokenizer') ? 'tokenizer' : 'config',
        digest: `sha256:${name}`,
        size: JSON.stringify(value).length,
        name,
      }),
    ),
  ];
  const load = (changes: Partial<LoadOptions> = {}, signal = never) =>
    engine.load(modelFiles, { ...options, ...changes }, signal, () => {});
  return { engine, sessions, warnings, load, modelFiles };
}

const alive = (sessions: FakeSession[]) => sessions.filter(({ disposed }) => !disposed);

describe('the device of an embedding model', () => {
  test('is the GPU when its vector is near the one of the CPU', async () => {
    const { load, sessions } = setUp((kind) => (kind === 'gpu' ? [3, 4.01] : [3, 4]));
    const model = await load();
    expect(model.device).toEqual(GPU);
    expect(sessions.map(({ providers }) => providers)).toEqual([['webgpu', 'wasm'], ['wasm']]);
    expect(alive(sessions)).toEqual([sessions[0]]);
  });

  test('is compared once for the same weights', async () => {
    const { load, sessions } = setUp(() => [3, 4]);
    await load();
    await load();
    expect(sessions.map(({ providers }) => providers.length)).toEqual([2, 1, 2]);
  });

  test.each<[string, number[] | Error]>([
    ['computes another vector', [4, -3]],
    ['computes no finite numbers', [Number.NaN, 1]],
    ['fails', new Error('shader')],
  ])('is the CPU, with a note, when the GPU %s', async (_, result) => {
    const { load, sessions, warnings } = setUp((kind) => (kind === 'gpu' ? result : [3, 4]));
    const model = await load();
    const note = 'WebGPU (test) gave a wrong answer to a known question';
    expect(model.device).toEqual({ ...CPU, note });
    expect(alive(sessions)).toEqual([sessions[1]]);
    expect(warnings).toHaveLength(1);
    await load();
    expect(sessions).toHaveLength(4);
  });

  test('is the CPU without a comparison when the request has no layers on the GPU', async () => {
    const { load, sessions } = setUp(() => [3, 4]);
    expect((await load({ gpuLayers: 0 })).device).toEqual(CPU);
    expect(sessions.map(({ providers }) => providers)).toEqual([['wasm']]);
  });
});

describe('a model that cannot be used', () => {
  test('has damaged weights when the CPU computes no finite numbers', async () => {
    const { load, sessions } = setUp(() => [Number.NaN, 1], { devices: ['cpu'] });
    await expect(load()).rejects.toThrow(ModelCorrupt);
    expect(alive(sessions)).toEqual([]);
  });

  test('has damaged weights when the CPU computes no finite numbers for the comparison', async () => {
    const { load, sessions } = setUp((kind) => (kind === 'gpu' ? [3, 4] : [Number.NaN, 1]));
    await expect(load()).rejects.toThrow(ModelCorrupt);
    expect(alive(sessions)).toEqual([]);
  });

  test.each(['gpu', 'cpu'] as const)('is disposed of when its %s fails', async (kind) => {
    const { load, sessions } = setUp(() => new Error('the graph failed'), { devices: [kind] });
    await expect(load()).rejects.toThrow('the graph failed');
    expect(alive(sessions)).toEqual([]);
  });

  test('is disposed of when the CPU cannot open it for the comparison', async () => {
    const { load, sessions } = setUp(() => [3, 4], {
      openFailure: (kind) => (kind === 'cpu' ? new Error('too large') : undefined),
    });
    await expect(load()).rejects.toThrow('too large');
    expect(alive(sessions)).toEqual([]);
  });

  test('asks for inputs other than tokens', async () => {
    const { load, sessions } = setUp(() => [3, 4], { inputs: ['input_ids', 'pixel_values'] });
    await expect(load()).rejects.toThrow('its graph asks for pixel_values, which no text has');
    expect(alive(sessions)).toEqual([]);
  });

  test('has no tokenizer', async () => {
    const { engine, modelFiles } = setUp(() => [3, 4]);
    const files = modelFiles.filter(({ name }) => name !== 'tokenizer.json');
    const loading = engine.load(files, options, never, () => {});
    await expect(loading).rejects.toThrow(ModelUnsupported);
  });

  test('has a tokenizer that cannot be read', async () => {
    const { load } = setUp(() => [3, 4], { files: { 'tokenizer.json': { model: null } } });
    await expect(load()).rejects.toThrow('its tokenizer cannot be read');
  });
});

test('vectors have length 1, and the context is that of the configuration', async () => {
  const { load, sessions } = setUp(() => [3, 4]);
  const model = await load();
  expect(model.contextLength).toBe(16);
  const { vectors, tokens } = await model.embed!(
    ['Paris is', 'the'],
    { maxTokens: 99, truncate: true },
    never,
  );
  expect(vectors.map((vector) => [...vector].map((x) => x.toFixed(2)))).toEqual([
    ['0.60', '0.80'],
    ['0.60', '0.80'],
  ]);
  expect(tokens).toEqual([2, 1]);
  expect(sessions[0]!.feeds.at(-1)).toEqual({
    input_ids: { type: 'int64', shape: [2, 2], data: BigInt64Array.of(3n, 0n, 1n, 2n) },
    attention_mask: { type: 'int64', shape: [2, 2], data: BigInt64Array.of(1n, 0n, 1n, 1n) },
  });
});
