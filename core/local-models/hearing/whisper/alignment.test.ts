import { describe, expect, test } from 'vitest';
import { alignTokens } from './alignment.ts';

/** Attention of tokens that begin at these steps. */
function attention(begins: number[], width: number): Float32Array {
  const weights = new Float32Array(begins.length * width).fill(0.001);
  for (const [token, begin] of begins.entries())
    weights.fill(1, token * width + begin, token * width + (begins[token + 1] ?? width));
  return weights;
}

describe('alignTokens', () => {
  test('finds where each token begins', () => {
    const begins = [0, 12, 30, 31 + 9, 77];
    expect(alignTokens([attention(begins, 100)], 5, 100, 100)).toEqual(begins);
  });

  test('takes the mean of several heads', () => {
    const heads = [attention([0, 20, 40], 60), new Float32Array(180).fill(0.5), attention([0, 20, 40], 60)];
    expect(alignTokens(heads, 3, 60, 60)).toEqual([0, 20, 40]);
  });

  test('leaves out tokens of the path, and steps behind the audio', () => {
    const begins = [0, 10, 20, 30];
    const found = alignTokens([attention(begins, 100)], 4, 100, 40, [1, 4]);
    expect(found.slice(1)).toEqual([20, 30]);
    expect(found[0]).toBeLessThanOrEqual(10);
  });

  test.each([
    [1, 1],
    [3, 1],
    [1, 3],
    [8, 5],
  ])('%i tokens in %i steps have steps in order', (tokens, steps) => {
    const found = alignTokens([new Float32Array(tokens * steps)], tokens, steps, steps);
    expect(found).toHaveLength(tokens);
    expect([...found].sort((a, b) => a - b)).toEqual(found);
    expect(found.at(-1)).toBeLessThan(steps);
  });
});
