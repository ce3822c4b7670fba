import { expect, it } from 'vitest';
import { typesMatch } from './types-match.ts';

it.each([
  ['IMAGE', 'IMAGE', true],
  ['IMAGE', 'MASK', false],
  ['*', 'MASK', true],
  ['MASK', '*', true],
  ['IMAGE', 'MASK, IMAGE', true],
  ['LATENT, IMAGE', 'IMAGE', true],
  ['LATENT,MASK', 'IMAGE,AUDIO', false],
  ['IMAGE', 'MASK,*', true],
  [['a', 'b'], ['a', 'b'], true],
  [['a', 'b'], ['b', 'a'], false],
  [['a'], 'COMBO', true],
  ['COMBO', ['a'], true],
  ['STRING', ['a'], false],
  [['a'], 'STRING', false],
  ['COMBO', 'STRING', false],
])('%o feeds %o: %s', (received, expected, matches) => {
  expect(typesMatch(received, expected)).toBe(matches);
});
