import { expect, it } from 'vitest';
import { tinyTekken } from '#test/support/model-files/tiny-parts.ts';
import { tableTokenizer } from './table-tokenizer.ts';
import { isTekken, tekkenTable } from './tekken-table.ts';

const tokenizer = tableTokenizer(tekkenTable(tinyTekken), {}, { start: '<s>', pad: '<pad>' });

it('has the special tokens first, and merges by rank', () => {
  expect(isTekken(tinyTekken)).toBe(true);
  expect([tokenizer.start, tokenizer.pad]).toEqual([1, 2]);
  // 'ca' has a smaller rank than 'at'.
  expect(tokenizer.tokens('cat')).toEqual([3 + 256, 3 + 't'.charCodeAt(0)]);
  expect(tokenizer.tokens('bat')).toEqual([3 + 'b'.charCodeAt(0), 3 + 257]);
});

it('has a token for each byte, and reads special tokens in texts', () => {
  expect(tokenizer.tokens('ü')).toEqual([3 + 0xc3, 3 + 0xbc]);
  expect(tokenizer.tokens('<s>ca')).toEqual([1, 3 + 256]);
  expect(tokenizer.text!([1, ...tokenizer.tokens('a cat ü')])).toBe('a cat ü');
});

it('leaves out the texts that exceed the vocabulary', () => {
  const config = { ...tinyTekken.config, default_vocab_size: 3 + 257 };
  const smaller = tableTokenizer(tekkenTable({ ...tinyTekken, config }), {}, { pad: '<pad>' });
  expect(smaller.tokens('bat')).toHaveLength(3);
});
