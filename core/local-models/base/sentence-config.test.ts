import { describe, expect, test } from 'vitest';
import { ModelCorrupt, type ModelFile, ModelUnsupported } from '#core/host';
import { readSentenceConfig } from './sentence-config.ts';

/** Reads the configuration of a repository with these files. */
function read(files: Record<string, unknown>, size?: number) {
  const list = Object.entries(files).map(
    ([name, value]): ModelFile => ({
      role: 'config',
      digest: `sha256:${name}`,
      size: size ?? JSON.stringify(value).length,
      name,
    }),
  );
  return readSentenceConfig(list, async ({ name }) => {
    const value = files[name!];
    return new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
  });
}

const BERT = { model_type: 'bert', hidden_size: 384, max_position_embeddings: 512 };
const pooling = (modes: object) => read({ 'config.json': BERT, '1_Pooling/config.json': modes });

test('has defaults for a repository without files', async () => {
  expect(await read({})).toEqual({
    architecture: 'unknown',
    hiddenSize: 0,
    maxTokens: 512,
    pooling: 'mean',
    values: [],
  });
});

test('reads the architecture, the size and plain values', async () => {
  const config = { ...BERT, is_decoder: false, id2label: { 0: 'a' }, vocab: [1] };
  expect(await read({ 'config.json': config })).toMatchObject({
    architecture: 'bert',
    hiddenSize: 384,
    values: [
      ['model_type', 'bert'],
      ['hidden_size', 384],
      ['max_position_embeddings', 512],
      ['is_decoder', false],
    ],
  });
});

test.each(['hidden_size', 'dim', 'd_model'])('reads the size from %s', async (key) => {
  expect((await read({ 'config.json': { [key]: 7 } })).hiddenSize).toBe(7);
});

describe('the longest input', () => {
  test.each<[string, Record<string, unknown>, number]>([
    ['positions', { 'config.json': { max_position_embeddings: 300 } }, 300],
    [
      'positions of RoBERTa, less the two before the first token',
      { 'config.json': { model_type: 'xlm-roberta', max_position_embeddings: 514 } },
      512,
    ],
    [
      'the sentence configuration, if smaller',
      { 'config.json': BERT, 'sentence_bert_config.json': { max_seq_length: 128 } },
      128,
    ],
    [
      'positions, if smaller than the sentence configuration',
      { 'config.json': BERT, 'sentence_bert_config.json': { max_seq_length: 1000 } },
      512,
    ],
    [
      'the tokenizer, without a sentence configuration',
      { 'config.json': BERT, 'tokenizer_config.json': { model_max_length: 100 } },
      100,
    ],
    [
      'not the tokenizer next to a sentence configuration',
      {
        'config.json': BERT,
        'sentence_bert_config.json': {},
        'tokenizer_config.json': { model_max_length: 100 },
      },
      512,
    ],
    [
      'the default, when the tokenizer has no limit',
      { 'tokenizer_config.json': { model_max_length: 1e30 } },
      512,
    ],
    ['the default, for nonsense', { 'config.json': { max_position_embeddings: -1 } }, 512],
  ])('is that of %s', async (_, files, tokens) => {
    expect((await read(files)).maxTokens).toBe(tokens);
  });
});

describe('pooling', () => {
  test.each([
    [{}, 'mean'],
    [{ pooling_mode_cls_token: true, pooling_mode_mean_tokens: false }, 'cls'],
    [{ pooling_mode_mean_tokens: true }, 'mean'],
    [{ pooling_mode_max_tokens: true }, 'max'],
    [{ pooling_mode_mean_sqrt_len_tokens: true }, 'mean-sqrt'],
    [{ pooling_mode_lasttoken: true }, 'last'],
  ])('%j is %s', async (modes, expected) => {
    expect((await pooling(modes)).pooling).toBe(expected);
  });

  test.each([
    [{ pooling_mode_cls_token: true, pooling_mode_max_tokens: true }, 'it joins several poolings (cls, max)'],
    [{ pooling_mode_weightedmean_tokens: true }, 'it pools by weighted mean'],
  ])('refuses %j', async (modes, message) => {
    await expect(pooling(modes)).rejects.toThrow(new ModelUnsupported(message));
  });
});

test('refuses layers after the pooling, except normalization', async () => {
  const modules = (...types: string[]) =>
    read({ 'modules.json': types.map((type) => ({ type: `sentence_transformers.models.${type}` })) });
  await expect(modules('Transformer', 'Pooling', 'Normalize')).resolves.toMatchObject({ pooling: 'mean' });
  await expect(modules('Transformer', 'Pooling', 'Dense')).rejects.toThrow(
    new ModelUnsupported('it has a Dense layer behind its pooling'),
  );
});

test('refuses files that are not JSON or too long', async () => {
  await expect(read({ 'config.json': '{' })).rejects.toThrow(/^config\.json is no JSON: /);
  await expect(read({ 'config.json': BERT }, 2 ** 20 + 1)).rejects.toThrow(
    new ModelCorrupt('config.json is too long for a configuration'),
  );
  await expect(read({ 'config.json': BERT }, 2 ** 20)).resolves.toMatchObject({ hiddenSize: 384 });
});
