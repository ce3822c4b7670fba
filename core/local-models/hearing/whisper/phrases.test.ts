import { expect, test } from 'vitest';
import { splitPhrases } from './phrases.ts';

const T = 100;
/** Texts are small numbers, times are given in steps of 20 ms. */
const time = (step: number) => T + step;

test.each<[string, number[], [number, number][], number]>([
  ['no tokens', [], [[0, 10]], 1000],
  ['text alone', [1, 2], [[0, 10]], 1000],
  ['one phrase', [time(0), 1, time(100)], [[0, 2]], 1000],
  ['one phrase without an end', [time(0), 1], [[0, 10]], 1000],
  ['a phrase that ends and another that begins', [time(0), 1, time(100), time(100), 2], [[0, 2]], 200],
  [
    'two complete phrases',
    [time(0), 1, time(100), time(150), 2, time(200)],
    [
      [0, 2],
      [3, 4],
    ],
    1000,
  ],
  ['two times at the end', [time(0), 1, time(100), time(100)], [[0, 2]], 200],
  ['two times at the start', [time(0), time(0), 1], [[0, 0]], 1],
  ['times behind the end of the audio', [time(0), 1, time(900), time(900), 2], [[0, 18]], 1000],
])('%s', (_, tokens, phrases, advance) => {
  const split = splitPhrases(tokens, T, 1000);
  expect(split.phrases.map(({ start, end }) => [start, end])).toEqual(phrases);
  expect(split.advance).toBe(advance);
});
