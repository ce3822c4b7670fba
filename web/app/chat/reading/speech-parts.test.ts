import { expect, it } from 'vitest';
import { speechParts } from './speech-parts.ts';

it.each([
  ['short', ['short']],
  ['', []],
  ['--- ***', []],
  ['First part here.\nSecond part', ['First part here.', 'Second part']],
  ['One sentence. Two words', ['One sentence.', 'Two words']],
  ['words without any stop', ['words without any', 'stop']],
  ['abcdefghijklmnopqrstuvwxyz', ['abcdefghijklmnopqrst', 'uvwxyz']],
])('%j', (text, parts) => {
  expect(speechParts(text, 20)).toEqual(parts);
});
