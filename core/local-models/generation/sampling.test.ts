import { describe, expect, test } from 'vitest';
import { maxTokens, sampling, tokensToKeep } from './sampling.ts';

const MAX = 2_147_483_647;

describe('sampling', () => {
  test("has Ollama's defaults", () => {
    expect(sampling({})).toEqual({
      seed: expect.any(Number),
      temperature: 0.8,
      topK: 40,
      topP: 0.9,
      minP: 0,
      typicalP: 1,
      repeatLastN: 64,
      repeatPenalty: 1,
      presencePenalty: 0,
      frequencyPenalty: 0,
    });
  });

  test('has the options of the request', () => {
    const options = {
      seed: 0,
      temperature: 0,
      top_k: 0,
      top_p: 0,
      min_p: 0.1,
      typical_p: 0.5,
      repeat_last_n: 0,
      repeat_penalty: 2,
      presence_penalty: -1,
      frequency_penalty: 0.25,
    };
    expect(sampling(options)).toEqual({
      seed: 0,
      temperature: 0,
      topK: 0,
      topP: 0,
      minP: 0.1,
      typicalP: 0.5,
      repeatLastN: 0,
      repeatPenalty: 2,
      presencePenalty: -1,
      frequencyPenalty: 0.25,
    });
  });

  test('limits values to what engines accept', () => {
    expect(sampling({ temperature: -1, top_k: 1e12, repeat_last_n: MAX })).toMatchObject({
      temperature: 0,
      topK: MAX,
      repeatLastN: MAX,
    });
  });

  test.each([undefined, -1, -7])('draws a random seed for %s', (seed) => {
    const seeds = Array.from({ length: 4 }, () => sampling(seed === undefined ? {} : { seed }).seed);
    expect(new Set(seeds).size).toBeGreaterThan(1);
    for (const drawn of seeds) expect(drawn).toBeGreaterThanOrEqual(0);
  });

  test.each([-1, MAX + 1])('refuses repeat_last_n %i', (last) => {
    const message = `Field 'repeat_last_n': Value must be between 0 <= value <= 2147483647, but got ${last}`;
    expect(() => sampling({ repeat_last_n: last })).toThrow(
      expect.objectContaining({
        status: 400,
        message: JSON.stringify({ error: { code: 400, message, type: 'invalid_request_error' } }),
      }),
    );
  });
});

test.each([
  [undefined, 1000],
  [0, 1000],
  [-1, 1000],
  [1, 1],
  [999, 999],
  [1000, 1000],
  [1001, 1000],
])('num_predict %s allows %i tokens in a context of 100', (numPredict, tokens) => {
  expect(maxTokens(numPredict, 100)).toBe(tokens);
});

test.each([
  [undefined, 4],
  [-1, 4],
  [0, 0],
  [7, 7],
  [1e12, MAX],
])('num_keep %s keeps %i tokens', (num_keep, tokens) => {
  expect(tokensToKeep(num_keep === undefined ? {} : { num_keep })).toBe(tokens);
});
