import { expect, test } from 'vitest';
import { tinyClipTokenizer, tokenId } from '#test/support/image-workflows/tiny-clip-tokenizer.ts';
import { clipTokenizer } from './clip-tokenizer.ts';

const ids = (...tokens: string[]) => tokens.map(tokenId);

test('merges words in lower case, whatever the white space', () => {
  expect(tinyClipTokenizer.tokens('  Cat\n\n DOG')).toEqual(ids('cat</w>', 'dog</w>'));
  expect(tinyClipTokenizer.tokens('cab')).toEqual(ids('ca', 'b</w>'));
});

test('splits digits one by one, and punctuation from words', () => {
  expect(tinyClipTokenizer.tokens('cat, 12')).toEqual(ids('cat</w>', ',</w>', '1</w>', '2</w>'));
});

test('adds no start and no end', () => {
  expect(tinyClipTokenizer.tokens('')).toEqual([]);
  expect([tinyClipTokenizer.start, tinyClipTokenizer.end]).toEqual(ids('<|startoftext|>', '<|endoftext|>'));
});

test('knows start and end in a text', () => {
  expect(tinyClipTokenizer.tokens('cat<|endoftext|>')).toEqual(ids('cat</w>', '<|endoftext|>'));
});

test('needs a start and an end in the vocabulary', () => {
  expect(() => clipTokenizer({ vocab: { a: 0 }, merges: '' })).toThrow('has no <|startoftext|>');
  expect(() => clipTokenizer({ vocab: { '<|startoftext|>': 0 }, merges: '' })).toThrow(
    'has no <|endoftext|>',
  );
});
