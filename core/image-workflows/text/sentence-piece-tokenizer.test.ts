import { expect, test } from 'vitest';
import { sentencePieceTokenizer } from './sentence-piece-tokenizer.ts';

const special = (id: number, content: string) => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
});
const table = (specials: string[]) => ({
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: specials.map((content, id) => special(id, content)),
  normalizer: null,
  pre_tokenizer: { type: 'Metaspace', replacement: '▁', add_prefix_space: true, prepend_scheme: 'always' },
  post_processor: null,
  decoder: { type: 'Metaspace', replacement: '▁', add_prefix_space: true },
  model: {
    type: 'Unigram',
    unk_id: specials.length,
    vocab: [...specials.map((content) => [content, 0]), ['<unk>', 0], ['▁cat', -1], ['▁c', -3], ['at', -3]],
  },
});

test('splits text without end and pad, which it names', () => {
  const tokenizer = sentencePieceTokenizer(table(['<pad>', '</s>']), {});
  expect(tokenizer).toMatchObject({ start: undefined, end: 1, pad: 0 });
  expect(tokenizer.tokens('cat')).toEqual([3]);
  expect(tokenizer.tokens('cat cat')).toEqual([3, 3]);
  // Parts of a prompt between weights often end with a space.
  expect(tokenizer.tokens('cat ')).toEqual([3]);
});

test('needs end and pad in the vocabulary', () => {
  expect(() => sentencePieceTokenizer(table(['<pad>']), {})).toThrow('has no </s>');
  expect(() => sentencePieceTokenizer(table(['</s>']), {})).toThrow('has no <pad>');
});
