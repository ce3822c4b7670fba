import { describe, expect, test } from 'vitest';
import { ContextExceeded, ModelCorrupt } from '#core/host';
import { TextTokens } from './text-tokens.ts';

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const words = ['[UNK]', '[CLS]', '[SEP]', 'a', 'b', 'c', 'd'];
/** A tokenizer of words, which puts [CLS] and [SEP] around every text. */
const tokenizer = {
  version: '1.0',
  added_tokens: ['[CLS]', '[SEP]'].map((content, index) => ({
    id: index + 1,
    content,
    special: true,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  })),
  normalizer: { type: 'Lowercase' },
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: '[CLS]', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '[SEP]', type_id: 0 } },
    ],
    pair: [],
    special_tokens: {
      '[CLS]': { id: '[CLS]', ids: [1], tokens: ['[CLS]'] },
      '[SEP]': { id: '[SEP]', ids: [2], tokens: ['[SEP]'] },
    },
  },
  decoder: null,
  model: {
    type: 'WordLevel',
    vocab: Object.fromEntries(words.map((word, id) => [word, id])),
    unk_token: '[UNK]',
  },
};
const tokens = new TextTokens(bytes(tokenizer), undefined);

describe('TextTokens', () => {
  test('encodes with special tokens, and decodes without them', () => {
    expect(tokens.encode('A b c')).toEqual([1, 3, 4, 5, 2]);
    expect(tokens.decode([1, 3, 4, 2])).toBe('a b');
    expect(tokens.decode([])).toBe('');
  });

  test.each([
    [9, [1, 3, 4, 5, 6, 2]],
    [6, [1, 3, 4, 5, 6, 2]],
    [5, [1, 3, 4, 5, 2]],
    [3, [1, 3, 2]],
    [2, [1, 2]],
    [1, [1]],
  ])('cuts a text to %i tokens, special ones included', (maxTokens, ids) => {
    expect(tokens.encodeWithin('a b c d', { maxTokens, truncate: true })).toEqual(ids);
  });

  test('refuses a longer text when it must not be cut', () => {
    const encode = (maxTokens: number) => tokens.encodeWithin('a b c d', { maxTokens, truncate: false });
    expect(encode(6)).toHaveLength(6);
    expect(() => encode(5)).toThrow(new ContextExceeded(6, 5));
  });

  test('reads only as much of a text as may be needed', () => {
    expect(tokens.encodeWithin(`${' '.repeat(2999)}a b`, { maxTokens: 3, truncate: true })).toEqual([
      1, 3, 2,
    ]);
    expect(tokens.encodeWithin(`${' '.repeat(3000)}a b`, { maxTokens: 3, truncate: true })).toEqual([1, 2]);
  });

  test('refuses files that cannot be read', () => {
    expect(() => new TextTokens(bytes({}), undefined)).toThrow(ModelCorrupt);
    expect(() => new TextTokens(new TextEncoder().encode('{'), undefined)).toThrow(
      /^its tokenizer cannot be read: /,
    );
  });
});
