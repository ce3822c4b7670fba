import { expect, test } from 'vitest';
import { tableTokenizer } from './table-tokenizer.ts';
import { wordPieceTable } from './word-piece-table.ts';

const VOCABULARY = ['[PAD]', '[CLS]', '[SEP]', '[UNK]', 'a', 'cat', '##s', '猫', '红', ','];
const framing = { start: '[CLS]', end: '[SEP]', pad: '[PAD]' };

test('words are split into pieces, and Chinese characters are words', () => {
  const tokenizer = tableTokenizer(wordPieceTable(`${VOCABULARY.join('\n')}\n`), {}, framing);
  expect([tokenizer.start, tokenizer.end, tokenizer.pad]).toEqual([1, 2, 0]);
  expect(tokenizer.tokens('A Cats, 红猫 dog')).toEqual([4, 5, 6, 9, 8, 7, 3]);
});

test('a vocabulary without unknown words is refused', () => {
  expect(() => wordPieceTable('a\nb\n')).toThrow('the vocabulary has no [UNK]');
});
