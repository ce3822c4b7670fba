import { expect, test } from 'vitest';
import { byteTokenizer } from './byte-tokenizer.ts';
import { quotedParts } from './quoted-parts.ts';

test('the quoted parts of a prompt, by kinds of quotes', () => {
  const prompt = 'a sign “open”, a door "24 h", ‘here’ and "now"';
  expect(quotedParts(prompt)).toEqual(['24 h', 'now', 'here', 'open']);
  expect(quotedParts("it's a fox")).toEqual([]);
  expect(quotedParts('"two\nlines"')).toEqual([]);
  expect(quotedParts('""')).toEqual(['']);
});

test('the tokens of a text are its bytes', () => {
  expect(byteTokenizer.tokens('aé')).toEqual([100, 198, 172]);
  expect([byteTokenizer.end, byteTokenizer.pad, byteTokenizer.start]).toEqual([1, 0, undefined]);
});
