import { describe, expect, test } from 'vitest';
import type { ModelFile } from '#core/host';
import { readWhisperConfig } from './whisper-config.ts';

const config = {
  num_mel_bins: 80,
  d_model: 384,
  decoder_layers: 4,
  decoder_attention_heads: 6,
  max_target_positions: 448,
  decoder_start_token_id: 50258,
  eos_token_id: 50257,
  suppress_tokens: [9, -1, 'x', 10.5],
  begin_suppress_tokens: [220],
};

function read(files: Record<string, unknown>) {
  const listed = Object.keys(files).map(
    (name): ModelFile => ({ role: 'config', name, digest: 'sha256:', size: 9 }),
  );
  return readWhisperConfig(listed, async ({ name }) => {
    const value = files[name!];
    return new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
  });
}

test('the sizes and tokens of a network', async () => {
  expect(await read({ 'config.json': config })).toEqual({
    bands: 80,
    layers: 4,
    heads: 6,
    headWidth: 64,
    maxTokens: 448,
    start: 50258,
    end: 50257,
    isMultilingual: undefined,
    suppressed: [9],
    suppressedAtBegin: [220],
    alignmentHeads: [],
  });
});

test('the configuration of generation comes first', async () => {
  const generation = {
    eos_token_id: [50256],
    is_multilingual: false,
    suppress_tokens: null,
    alignment_heads: [[3, 5], [4, 0], [0, 6], [1, -1], 'x', [1, 2, 3]],
  };
  expect(await read({ 'config.json': config, 'generation_config.json': generation })).toMatchObject({
    end: 50256,
    isMultilingual: false,
    suppressed: [9],
    alignmentHeads: [[3, 5]],
  });
});

test('the size of the vocabulary says whether only English is known', async () => {
  expect((await read({ 'config.json': { ...config, vocab_size: 51_864 } })).isMultilingual).toBe(false);
  expect((await read({ 'config.json': { ...config, vocab_size: 51_865 } })).isMultilingual).toBeUndefined();
});

describe('refuses', () => {
  test.each<[string, Record<string, unknown>, RegExp]>([
    ['no file', {}, /no usable/],
    ['text', { 'config.json': '{' }, /config.json is no JSON/],
    ['a list', { 'config.json': [] }, /no JSON object/],
    ['a negative size', { 'config.json': { ...config, d_model: -1 } }, /d_model/],
    ['a huge size', { 'config.json': { ...config, decoder_layers: 1e9 } }, /decoder_layers/],
    ['a token that is no number', { 'config.json': { ...config, eos_token_id: 'x' } }, /eos_token_id/],
  ])('%s', async (_, files, message) => {
    await expect(read(files)).rejects.toMatchObject({
      name: 'ModelCorrupt',
      message: expect.stringMatching(message),
    });
  });

  test('a file that is too long, unread', async () => {
    const file: ModelFile = { role: 'config', name: 'config.json', digest: 'sha256:', size: 2 ** 21 };
    const unread = () => Promise.reject(new Error('it was read'));
    await expect(readWhisperConfig([file], unread)).rejects.toThrow('too long');
  });
});
