import { expect, it } from 'vitest';
import { tinySentencePieces } from '#test/support/model-files/tiny-parts.ts';
import { tableTokenizer } from './table-tokenizer.ts';

/** Letters of "a ü" as byte-level tables spell them, without a decoder. */
const BYTES = {
  version: '1.0',
  added_tokens: [
    {
      id: 4,
      content: '<end>',
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    },
  ],
  normalizer: null,
  pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
  post_processor: null,
  decoder: null,
  model: { type: 'BPE', vocab: { a: 0, Ġ: 1, Ã: 2, '¼': 3, '<end>': 4 }, merges: [], unk_token: null },
};

it('turns tokens of bytes back into the text, without special tokens', () => {
  const tokenizer = tableTokenizer(BYTES, {}, { pad: '<end>' });
  const tokens = tokenizer.tokens('a ü');
  expect(tokens).toEqual([0, 1, 2, 3]);
  expect(tokenizer.text!([...tokens, 4])).toBe('a ü');
  expect([tokenizer.special!('<end>'), tokenizer.special!('<start>')]).toEqual([4, undefined]);
});

it('turns pieces of sentences back into the text', () => {
  const tokenizer = tableTokenizer({ ...tinySentencePieces, decoder: null }, {}, { pad: '<pad>' });
  expect(tokenizer.text!(tokenizer.tokens('a cat')).trim()).toBe('a cat');
});
