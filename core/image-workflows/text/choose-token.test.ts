import { expect, it } from 'vitest';
import { bestToken, drawToken, type TokenSampling } from './choose-token.ts';

const all: TokenSampling = {
  temperature: 1,
  topK: 0,
  topP: 1,
  minP: 0,
  repetitionPenalty: 1,
  presencePenalty: 0,
};
/** Probabilities of 0.4, 0.3, 0.2 and 0.1, in another order. */
const scores = Float32Array.of(Math.log(0.2), Math.log(0.4), Math.log(0.1), Math.log(0.3));
const draw = (random: number, sampling: Partial<TokenSampling> = {}, written: number[] = []) =>
  drawToken(scores, written, { ...all, ...sampling }, random);

it('takes the best token, and the first of equal ones', () => {
  expect(bestToken(scores)).toBe(1);
  expect(bestToken(Float32Array.of(0, 2, 2))).toBe(1);
});

it.each([
  [0, 1],
  [0.39, 1],
  [0.41, 3],
  [0.69, 3],
  [0.71, 0],
  [0.91, 2],
  [0.9999, 2],
])('draws by the probabilities: at %d token %d', (random, token) => {
  expect(draw(random)).toBe(token);
});

it.each([
  ['topK', { topK: 2 }],
  ['topP', { topP: 0.7 }],
  ['minP', { minP: 0.6 }],
])('%s leaves the best two', (_, sampling) => {
  expect([0.5, 0.6, 0.9999].map((random) => draw(random, sampling))).toEqual([1, 3, 3]);
});

it('a low temperature nearly always takes the best token', () => {
  expect(draw(0.99, { temperature: 0.01 })).toBe(1);
});

it('penalties make tokens of the text less likely', () => {
  // Negative scores are multiplied: 0.4 ^ 3 is 0.064.
  expect(draw(0, { repetitionPenalty: 3 }, [1])).toBe(3);
  expect(draw(0, { presencePenalty: 5 }, [1, 3])).toBe(0);
  const positive = Float32Array.of(4, 3);
  expect(drawToken(positive, [0], { ...all, repetitionPenalty: 2 }, 0)).toBe(1);
});
