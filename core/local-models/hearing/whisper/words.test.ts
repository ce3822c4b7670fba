import { expect, test } from 'vitest';
import { scriptedWhisper } from '#test/support/local-models/whisper/scripted-network.ts';
import { splitWords } from './words.ts';

const { vocabulary } = scriptedWhisper([{ says: [] }]);
const bytes = (text: string) => [...new TextEncoder().encode(text)];
const words = (text: string, language: string) =>
  splitWords(vocabulary, bytes(text), language).map(({ text, after }) => [text, after]);

test('words end at spaces, and have the punctuation around them', () => {
  const parts = [' He', ' s', 'aid', ',', ' "', 'wait', '!', '"', ' Then', '...', ' (', 'no', ')'];
  const spelled = { text: (ids: readonly number[]) => ids.map((id) => parts[id]).join('') };
  const split = splitWords(spelled, [...parts.keys()], 'en');
  expect(split.map(({ text, after }) => [text, after])).toEqual([
    [' He', 0],
    [' said,', 1],
    [' "wait!"', 2],
    [' Then...', 0],
    [' (no)', 1],
  ]);
});

test('letters of several tokens stay together', () => {
  expect(words(' Öl, ñandú', 'es').map(([text]) => text)).toEqual([' Öl,', ' ñandú']);
});

test('languages without spaces are split at each letter', () => {
  expect(words('你好。', 'zh')).toEqual([
    ['你', 0],
    ['好。', 3],
  ]);
});

test('all tokens belong to a word, also those of damaged letters', () => {
  const tokens = [...bytes(' ab'), 0xe4, 0xbd];
  const split = splitWords(vocabulary, tokens, 'en');
  expect(split.flatMap((word) => word.tokens)).toEqual(tokens);
});

test('no tokens are no words', () => {
  expect(splitWords(vocabulary, [], 'en')).toEqual([]);
});
