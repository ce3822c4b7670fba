import { describe, expect, test } from 'vitest';
import type {
  Device,
  HearEvent,
  LanguageModel,
  LoadOptions,
  ModelFile,
  Tensor,
  TensorEngine,
  TensorSession,
} from '#core/host';
import { roleOfPath } from '#core/local-models/registry/formats/file-roles.ts';
import { inlineTensors } from '#test/support/host/inline-tensors.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { TINY_TEXT, tinyWhisper } from '#test/support/local-models/whisper/tiny-whisper.ts';
import { readWhisperConfig } from '../../base/whisper-config.ts';
import { hearingEngine } from '../hearing-engine.ts';
import { cacheOutputs, WhisperNetwork } from './whisper-network.ts';

const never = new AbortController().signal;
const options: LoadOptions = { contextLength: 448, batchSize: 448, gpuLayers: -1, threads: 1 };
const GPU: Device = { kind: 'gpu', name: 'WebGPU (test)' };
const tiny = tinyWhisper();

/** @param change files of the model. Undefined: there is no such file */
async function setUp(
  change: Record<string, Uint8Array | undefined> = {},
  gpu?: (numbers: Float32Array) => void,
) {
  const host = createTestHost();
  const files: ModelFile[] = [];
  for (const [name, bytes] of Object.entries({ ...tiny, ...change }))
    if (bytes) files.push({ role: roleOfPath(name), name, ...(await host.blobs.put(bytes)) });
  const onCpu = inlineTensors(async (file, start, end) => {
    const bytes = host.blobs.blobs.get((file as ModelFile).digest)!;
    return bytes.slice(start, end);
  });
  const sessions: { device: Device; disposed: boolean }[] = [];
  const tensors: TensorEngine = {
    name: 'onnx-test',
    async open(graph, open, signal, onProgress) {
      const session = await onCpu.open(graph, { ...open, providers: ['wasm'] }, signal, onProgress);
      const device = gpu && open.providers.includes('webgpu') ? GPU : session.device;
      const opened = { device, disposed: false };
      sessions.push(opened);
      return {
        ...wrapped(session, device === GPU ? gpu : undefined),
        device,
        async dispose() {
          opened.disposed = true;
          await session.dispose();
        },
      };
    },
  };
  const engine = hearingEngine({ tensors, blobs: host.blobs, log: host.log });
  const load = () => engine.load(files, options, never, () => {});
  return { engine, files, load, sessions, tensors, host };
}

function wrapped(session: TensorSession, change?: (numbers: Float32Array) => void): TensorSession {
  return {
    inputs: session.inputs,
    outputs: session.outputs,
    memory: session.memory,
    gone: session.gone,
    device: session.device,
    dispose: () => session.dispose(),
    async run(feeds, signal, names, how): Promise<Record<string, Tensor>> {
      const outputs = await session.run(feeds, signal, names, how);
      for (const { data } of Object.values(outputs)) if (data instanceof Float32Array) change?.(data);
      return outputs;
    },
  };
}

async function heard(model: LanguageModel, words = false): Promise<HearEvent[]> {
  const request = { samples: new Float32Array(16_000), task: 'transcribe', words } as const;
  const events: HearEvent[] = [];
  for await (const event of model.hear!(request, never)) events.push(event);
  return events;
}

const textOf = (events: HearEvent[]) =>
  events
    .flatMap((event) => (event.type === 'segment' ? [event.segment.text] : []))
    .join('')
    .trim();

describe('a loaded model', () => {
  test('writes down, with a language, times and words', async () => {
    const { load, sessions } = await setUp();
    const model = await load();
    const events = await heard(model, true);
    expect(events[0]).toEqual({ type: 'language', language: 'en' });
    expect(textOf(events)).toBe(TINY_TEXT);
    const words = events.flatMap((event) => (event.type === 'segment' ? event.segment.words! : []));
    expect(words.map(({ text }) => text)).toEqual([' Good', ' morning.', ' How', ' are', ' you?']);
    for (const { start, end } of words) expect(end).toBeGreaterThanOrEqual(start);
    expect(model).toMatchObject({ contextLength: 448, device: { kind: 'cpu' } });
    expect(model.memory.total).toBeGreaterThan(0);
    expect(await model.detokenize(await model.tokenize('Grüße'))).toBe('Grüße');
    await expect(
      model
        .generate({} as never, never)
        [Symbol.asyncIterator]()
        .next(),
    ).rejects.toThrow('writes speech down');
    await model.dispose();
    expect(sessions.every(({ disposed }) => disposed)).toBe(true);
  });

  test('writes the same text twice', async () => {
    const model = await (await setUp()).load();
    expect(await heard(model)).toEqual(await heard(model));
  });
});

test('the cache gives what all tokens give at once', async () => {
  const { tensors, files } = await setUp();
  const config = await readWhisperConfig(files, async ({ name }) => tiny[name!]!);
  const of = (part: string) => [files.find(({ name }) => name!.includes(part))!];
  const [encoder, decoder] = [
    await tensors.open(of('encoder'), { providers: ['wasm'] }, never),
    await tensors.open(of('decoder'), { providers: ['wasm'], keeps: cacheOutputs(config) }, never),
  ];
  const network = new WhisperNetwork(encoder, decoder, config);
  const loudness = Float32Array.from({ length: 8 * 3000 }, (_, at) => Math.sin(at / 9));
  const states = await network.encode(loudness, never);
  const tokens = [257, 258, 262, 267, 71];
  const all = await network.begin(tokens, states, never);
  await network.begin(tokens.slice(0, 2), states, never);
  let last = all;
  for (let at = 2; at < tokens.length; at++) last = await network.next(tokens[at]!, at, states, never);
  const expected = all.data.slice(-all.size);
  for (const [at, value] of last.data.entries()) expect(value).toBeCloseTo(expected[at]!, 2);
});

describe('a GPU', () => {
  test('that computes the right numbers is used, and checked once', async () => {
    const { load, sessions } = await setUp({}, () => {});
    const model = await load();
    expect(model.device).toEqual(GPU);
    expect(sessions.map(({ device, disposed }) => [device.kind, disposed])).toEqual([
      ['gpu', false],
      ['gpu', false],
      ['cpu', true],
      ['cpu', true],
    ]);
    await load();
    expect(sessions).toHaveLength(6);
  });

  test.each<[string, (numbers: Float32Array) => void]>([
    ['other numbers', (numbers) => numbers.reverse()],
    ['no numbers', (numbers) => numbers.fill(Number.NaN)],
    [
      'nothing',
      () => {
        throw new Error('the shader failed');
      },
    ],
  ])('that computes %s gives way to the CPU', async (_, change) => {
    const { load, sessions, host } = await setUp({}, change);
    const model = await load();
    expect(model.device).toMatchObject({ kind: 'cpu', note: expect.stringContaining('wrong answer') });
    expect(sessions.filter(({ disposed }) => !disposed).map(({ device }) => device.kind)).toEqual([
      'cpu',
      'cpu',
    ]);
    expect(host.logged.some(({ level }) => level === 'warn')).toBe(true);
    expect(textOf(await heard(model))).toBe(TINY_TEXT);
  });
});

describe('damaged and other files', () => {
  const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  const config = JSON.parse(new TextDecoder().decode(tiny['config.json']));
  test.each<[string, Record<string, Uint8Array | undefined>, string, RegExp]>([
    ['no tokenizer', { 'tokenizer.json': undefined }, 'ModelUnsupported', /tokenizer/],
    [
      'a tokenizer without times',
      {
        'tokenizer.json': json({
          ...JSON.parse(new TextDecoder().decode(tiny['tokenizer.json'])),
          added_tokens: [],
        }),
      },
      'ModelCorrupt',
      /notimestamps/,
    ],
    ['a tokenizer that is no JSON', { 'tokenizer.json': new Uint8Array(9) }, 'ModelCorrupt', /tokenizer/],
    ['no config', { 'config.json': undefined }, 'ModelCorrupt', /decoder_attention_heads/],
    ['a list as config', { 'config.json': json([]) }, 'ModelCorrupt', /no JSON object/],
    ['a config of text', { 'config.json': json({ ...config, d_model: 'big' }) }, 'ModelCorrupt', /d_model/],
    [
      'a billion layers',
      { 'config.json': json({ ...config, decoder_layers: 1e9 }) },
      'ModelCorrupt',
      /decoder_layers/,
    ],
    [
      'an encoder in place of the decoder',
      { 'onnx/decoder_model_merged.onnx': tiny['onnx/encoder_model.onnx'] },
      'ModelUnsupported',
      /input_features/,
    ],
    [
      'a decoder in place of the encoder',
      { 'onnx/encoder_model.onnx': tiny['onnx/decoder_model_merged.onnx'] },
      'ModelUnsupported',
      /encoder/,
    ],
    [
      'a graph that is cut off',
      { 'onnx/encoder_model.onnx': tiny['onnx/encoder_model.onnx']!.slice(0, 999) },
      'ModelCorrupt',
      /./,
    ],
  ])('%s', async (_, change, name, message) => {
    const { load, sessions } = await setUp(change);
    await expect(load()).rejects.toMatchObject({ name, message: expect.stringMatching(message) });
    expect(sessions.every(({ disposed }) => disposed)).toBe(true);
  });

  test('weights that compute no finite numbers', async () => {
    const bytes = tiny['onnx/encoder_model.onnx']!.slice();
    // The bits of a float that is no number, in the weights at the end of the file.
    for (let at = bytes.length - 40_000; at < bytes.length - 2000; at += 4) bytes.fill(0xff, at, at + 4);
    const { load } = await setUp({ 'onnx/encoder_model.onnx': bytes });
    await expect(load()).rejects.toMatchObject({ name: 'ModelCorrupt' });
  });
});

test('a model without attention outputs writes down, and refuses words', async () => {
  const { load, engine, files } = await setUp(tinyWhisper({ withAttention: false }));
  const model = await load();
  expect(textOf(await heard(model))).toBe(TINY_TEXT);
  await expect(heard(model, true)).rejects.toThrow('_timestamped');
  expect([engine.accepts!(files), engine.accepts!(files.slice(0, 1))]).toEqual([true, false]);
});
