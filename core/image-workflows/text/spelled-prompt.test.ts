import { expect, test } from 'vitest';
import { spelledPrompt, splitAtQuotes } from './spelled-prompt.ts';

const parts = (prompt: string) =>
  splitAtQuotes(prompt).map(({ text, isQuoted }) => (isQuoted ? [text] : text));

test('texts in quotation marks are parts of their own', () => {
  expect(parts(`a sign 'Hello' and "it's" here`)).toEqual([
    'a sign ',
    ["'Hello'"],
    ' and ',
    [`"it's"`],
    ' here',
  ]);
  expect(parts('\u201cyes\u201d\u2018no\u2019')).toEqual([['\u201cyes\u201d'], ['\u2018no\u2019']]);
  expect(parts('\u201cone \u201ctwo\u201d')).toEqual(['\u201cone ', ['\u201ctwo\u201d']]);
  expect(parts('""')).toEqual([['""']]);
  expect(parts('')).toEqual([]);
});

test('the apostrophes of words begin and end nothing', () => {
  expect(parts("don't say 'it's' or 'no'")).toEqual(["don't say ", ["'it's'"], ' or ', ["'no'"]]);
  expect(parts("don't, won't, can't")).toEqual(["don't, won't, can't"]);
  // As ComfyUI does: the part begins like a quotation.
  expect(parts("'tis what don't")).toEqual([["'tis what don't"]]);
});

const tokenizer = { pad: 0, tokens: (text: string) => (text === '' ? [] : [text.length]) };
const spelled = (prompt: string, own?: string) =>
  spelledPrompt(
    prompt,
    { text: 'before {}!', ...(own !== undefined && { own: [own] }) },
    6,
    tokenizer,
  ).flatMap((part) => (typeof part === 'symbol' ? [] : part.map(({ token }) => token)));

test('the prompt has a fixed number of tokens within its template', () => {
  expect(spelled('abcd "\u{1f642}"')).toEqual([7, 5, 1, 2, 1, 0, 0, 1]);
  expect(spelled('"abcdefgh" x')).toEqual([7, 1, 1, 1, 1, 1, 1, 1]);
  expect(spelled('')).toEqual([7, 1, 0, 0, 0, 0, 0, 1]);
  expect(spelled('own', 'o')).toEqual([3, 0, 0, 0, 0, 0]);
});
