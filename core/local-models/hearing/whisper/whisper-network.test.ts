import { describe, expect, test } from 'vitest';
import type { Tensor, TensorRunOptions, TensorSession, TensorSlot } from '#core/host';
import { toHalf } from '#core/tensors';
import type { WhisperConfig } from '../../base/whisper-config.ts';
import { cacheOutputs, WhisperNetwork } from './whisper-network.ts';

const never = new AbortController().signal;
const config = {
  bands: 2,
  layers: 1,
  heads: 2,
  headWidth: 4,
  alignmentHeads: [[0, 1]],
} as unknown as WhisperConfig;
const slot = (
  name: string,
  type: TensorSlot['type'] = 'float32',
  shape: TensorSlot['shape'] = [],
): TensorSlot => ({
  name,
  type,
  shape,
});
const CACHE = ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value'];

/** Fake sessions whose outputs are zeros in a type. */
function setUp(
  options: {
    floats?: 'float32' | 'float16';
    ids?: 'int64' | 'int32';
    more?: TensorSlot[];
    branches?: boolean;
  } = {},
) {
  const { floats = 'float32', ids = 'int64', more = [], branches = true } = options;
  const runs: {
    feeds: Record<string, Tensor>;
    names: string[] | undefined;
    keep: TensorRunOptions['keep'];
  }[] = [];
  const session = (inputs: TensorSlot[], outputs: TensorSlot[]): TensorSession => ({
    device: { kind: 'cpu', name: 'CPU' },
    inputs,
    outputs,
    memory: { total: 0, gpu: 0 },
    gone: new Promise(() => {}),
    dispose: async () => {},
    async run(feeds, _signal, names, { keep } = {}) {
      runs.push({ feeds, names, keep });
      return Object.fromEntries(
        (names ?? []).map((name): [string, Tensor] => [
          name,
          floats === 'float16'
            ? { type: 'float16', shape: [1, 1, 3], data: Uint16Array.of(toHalf(0.5), toHalf(-2), 0) }
            : { type: 'float32', shape: [1, 1, 3], data: Float32Array.of(0.5, -2, 0) },
        ]),
      );
    },
  });
  const encoder = session(
    [slot('input_features', floats)],
    [slot('last_hidden_state', floats, [1, 1500, 8])],
  );
  const decoder = session(
    [
      slot('input_ids', ids),
      slot('encoder_hidden_states', floats, ['batch', 'steps', 8]),
      ...CACHE.map((part) => slot(`past_key_values.0.${part}`, floats)),
      ...(branches ? [slot('use_cache_branch', 'bool')] : []),
      ...more,
    ],
    [slot('logits', floats), ...CACHE.map((part) => slot(`present.0.${part}`, floats))],
  );
  return { encoder, decoder, runs, network: () => new WhisperNetwork(encoder, decoder, config) };
}

const shapes = (feeds: Record<string, Tensor>) =>
  Object.fromEntries(
    Object.entries(feeds).map(([name, { type, shape }]) => [name, `${type} ${shape.join('x')}`]),
  );

test('the first tokens come with the audio and without a cache, the next ones with the cache alone', async () => {
  const { network, runs } = setUp();
  const decoder = network();
  const states = await decoder.encode(new Float32Array(6000), never);
  await decoder.begin([5, 6], states, never);
  await decoder.next(7, 2, states, never);
  expect(runs.map(({ feeds }) => shapes(feeds))).toEqual([
    { input_features: 'float32 1x2x3000' },
    {
      input_ids: 'int64 1x2',
      encoder_hidden_states: 'float32 1x1x3',
      'past_key_values.0.decoder.key': 'float32 1x2x0x4',
      'past_key_values.0.decoder.value': 'float32 1x2x0x4',
      'past_key_values.0.encoder.key': 'float32 1x2x0x4',
      'past_key_values.0.encoder.value': 'float32 1x2x0x4',
      use_cache_branch: 'bool 1',
    },
    { input_ids: 'int64 1x1', encoder_hidden_states: 'float32 1x1x8', use_cache_branch: 'bool 1' },
  ]);
  expect(runs.map(({ feeds }) => feeds.use_cache_branch?.data[0])).toEqual([undefined, 0, 1]);
  expect(Object.keys(runs[1]!.keep!)).toEqual(cacheOutputs(config));
  expect(runs[2]!.keep).toEqual({
    'present.0.decoder.key': 'past_key_values.0.decoder.key',
    'present.0.decoder.value': 'past_key_values.0.decoder.value',
  });
});

test('16-bit floats are taken and returned, and 32-bit integers are taken', async () => {
  const { network, runs } = setUp({ floats: 'float16', ids: 'int32' });
  const decoder = network();
  const states = await decoder.encode(
    Float32Array.from({ length: 6000 }, () => 0.5),
    never,
  );
  const { data, rows, size } = await decoder.begin([5], states, never);
  expect([[...data], rows, size]).toEqual([[0.5, -2, 0], 1, 3]);
  expect(runs[0]!.feeds.input_features).toMatchObject({ type: 'float16' });
  expect(runs[0]!.feeds.input_features!.data[0]).toBe(toHalf(0.5));
  expect(shapes(runs[1]!.feeds)).toMatchObject({
    input_ids: 'int32 1x1',
    encoder_hidden_states: 'float16 1x1x3',
    'past_key_values.0.encoder.value': 'float16 1x2x0x4',
  });
});

test('a decoder without branches gets the audio with each token, and its position', async () => {
  const { network, runs } = setUp({ branches: false, more: [slot('cache_position', 'int64')] });
  const decoder = network();
  const states = await decoder.encode(new Float32Array(6000), never);
  await decoder.next(7, 2, states, never);
  expect(runs[1]!.feeds.encoder_hidden_states).toBe(states);
  expect(runs[1]!.feeds.cache_position).toMatchObject({ shape: [1], data: BigInt64Array.of(2n) });
});

describe('refuses', () => {
  test('an unknown input', () => {
    expect(setUp({ more: [slot('speaker')] }).network).toThrow('its decoder asks for speaker');
  });

  test('a decoder without a cache', () => {
    const { encoder, decoder } = setUp();
    const bare = { ...decoder, inputs: decoder.inputs.slice(0, 2) };
    expect(() => new WhisperNetwork(encoder, bare, config)).toThrow('decoder_model_merged');
  });

  test('a decoder that does not return its cache', () => {
    const { encoder, decoder } = setUp();
    const bare = { ...decoder, outputs: decoder.outputs.slice(0, 2) };
    expect(() => new WhisperNetwork(encoder, bare, config)).toThrow('no output present.0.decoder.value');
  });
});
