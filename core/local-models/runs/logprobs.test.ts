import { describe, expect, test } from 'vitest';
import { checkTopLogprobs, wireLogprobs } from './logprobs.ts';

describe('log probabilities', () => {
  test.each([0, 20])('%i alternatives are allowed', (count) => {
    expect(() => checkTopLogprobs(count)).not.toThrow();
  });

  test.each([-1, 21])('%i alternatives are refused', (count) => {
    expect(() => checkTopLogprobs(count)).toThrow('top_logprobs must be between 0 and 20');
  });

  test('are printed without empty lists', () => {
    const top = [{ token: 'b', bytes: [], logprob: -2 }];
    const logprobs = [
      { token: 'a', bytes: [97], logprob: -1, top },
      { token: '', bytes: [], logprob: -3, top: [] },
    ];
    expect(JSON.stringify(wireLogprobs(logprobs))).toBe(
      '[{"token":"a","logprob":-1,"bytes":[97],"top_logprobs":[{"token":"b","logprob":-2}]},{"token":"","logprob":-3}]',
    );
    expect([wireLogprobs(undefined), wireLogprobs([])]).toEqual([undefined, undefined]);
  });
});
