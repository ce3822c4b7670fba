import { describe, expect, test } from 'vitest';
import type { Sampling } from '#core/host';
import { greedySampling } from '#test/support/local-models/greedy-sampling.ts';
import { TokenSampler } from './sampler.ts';

const defaults = greedySampling({ seed: 7, temperature: 1, topK: 0, topP: 1 });
const LOGITS = [1, 3, 2, -1, 0];

function choose(
  change: Partial<Sampling>,
  options: { history?: number[]; top?: number; times?: number } = {},
) {
  const sampler = new TokenSampler();
  sampler.begin({ ...defaults, ...change }, options.top, [...(options.history ?? [])]);
  const ids: number[] = [];
  for (let i = 0; i < (options.times ?? 1); i++) {
    const processed = sampler.processLogits(Float32Array.from(LOGITS));
    const chosen = processed.indexOf(0);
    expect([...processed].filter((value) => value > -1e3)).toEqual([0]);
    expect(sampler.last?.id).toBe(chosen);
    ids.push(chosen);
  }
  return { ids, last: sampler.last! };
}
/** All tokens that 400 draws choose. */
const drawnTokens = (change: Partial<Sampling>, history?: number[]) => [
  ...new Set(choose(change, { times: 400, ...(history && { history }) }).ids),
];

describe('tokens that can be drawn', () => {
  test('at temperature 0 the likeliest alone', () =>
    expect(choose({ temperature: 0 }, { times: 3 }).ids).toEqual([1, 1, 1]));
  test('all of them at a high temperature', () =>
    expect(drawnTokens({ temperature: 100 }).sort()).toEqual([0, 1, 2, 3, 4]));
  test('with top_k the k likeliest', () =>
    expect(drawnTokens({ topK: 2, temperature: 100 }).sort()).toEqual([1, 2]));
  test('with top_p the likeliest that make up the share', () =>
    expect(drawnTokens({ topP: 0.7, temperature: 100 }).sort()).toEqual([1, 2]));
  test('with min_p those that are likely enough', () =>
    expect(drawnTokens({ minP: 0.3, temperature: 100 }).sort()).toEqual([1, 2]));
  test('with typical_p neither too likely nor too surprising ones', () =>
    expect(drawnTokens({ typicalP: 0.2, temperature: 100 })).toEqual([2]));
});

test('tokens are drawn as often as their probability says', () => {
  const { ids } = choose({}, { times: 4000 });
  const share = ids.filter((id) => id === 1).length / ids.length;
  expect(share).toBeGreaterThan(0.59);
  expect(share).toBeLessThan(0.68);
});

test('the seed determines the tokens', () => {
  const first = choose({ temperature: 2 }, { times: 40 }).ids;
  expect(choose({ temperature: 2 }, { times: 40 }).ids).toEqual(first);
  expect(choose({ temperature: 2, seed: 8 }, { times: 40 }).ids).not.toEqual(first);
});

test('penalties count the tokens within the window', () => {
  expect(choose({ temperature: 0, repeatPenalty: 2 }, { history: [1] }).ids).toEqual([2]);
  expect(choose({ temperature: 0, presencePenalty: 1.5 }, { history: [1] }).ids).toEqual([2]);
  expect(choose({ temperature: 0, frequencyPenalty: 0.6 }, { history: [1, 1] }).ids).toEqual([2]);
  expect(choose({ temperature: 0, frequencyPenalty: 0.6 }, { history: [1] }).ids).toEqual([1]);
  expect(choose({ temperature: 0, repeatPenalty: 2, repeatLastN: 1 }, { history: [1, 4] }).ids).toEqual([1]);
  expect(choose({ temperature: 0, repeatPenalty: 2, repeatLastN: -1 }, { history: [1, 4] }).ids).toEqual([2]);
});

test('log probabilities are computed before penalties and temperature', () => {
  const sum = Math.log(LOGITS.reduce((total, logit) => total + Math.exp(logit), 0));
  const { last } = choose({ temperature: 0, repeatPenalty: 9 }, { history: [1], top: 2 });
  expect(last.id).toBe(2);
  expect(last.logprob).toBeCloseTo(2 - sum, 5);
  expect(last.top.map(({ id }) => id)).toEqual([1, 2]);
  expect(last.top[0]!.logprob).toBeCloseTo(3 - sum, 5);
  expect(choose({ temperature: 0 }).last.top).toEqual([]);
});

test('tokens that a grammar forbids are never drawn, and logits that are not numbers are an error', () => {
  const sampler = new TokenSampler();
  sampler.begin({ ...defaults, temperature: 100 }, undefined, []);
  for (let i = 0; i < 200; i++) {
    const logits = Float32Array.from([Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, 1, -5]);
    expect([2, 3]).toContain(sampler.processLogits(logits).indexOf(0));
  }
  expect(() => sampler.processLogits(Float32Array.from([Number.NaN, 1]))).toThrow('no finite numbers');
});
