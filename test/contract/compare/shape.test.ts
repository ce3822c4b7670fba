import { expect, test } from 'vitest';
import { differs } from './shape.ts';

test.each([
  [{ a: 1 }, { a: 1 }],
  [{ a: 1 }, { a: '<int>', 'b?': '<string>' }],
  [
    { a: 1, z: 2 },
    { a: 1, '...': true },
  ],
  [
    [1, 1, 2],
    [{ '+': 1 }, 2],
  ],
  [[2], [{ '*': 1 }, 2]],
  [
    [1, 2, 1],
    [{ '+': '<int>' }, 1],
  ],
  ['2026-01-02T03:04:05.000001Z', '<utc-time>'],
  ['The capital is Paris.', '<contains Paris>'],
])('%j matches %j', (actual, pattern) => {
  expect(differs(actual, pattern)).toBeUndefined();
});

test.each([
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, 'not in order'],
  [{ a: 1, b: 2 }, { a: 1 }, '"b" is not expected'],
  [{ a: 1 }, { a: 1, b: 2 }, '"b" is missing'],
  [{ a: null }, { a: '<int>' }, 'body.a: null is not <int>'],
  [[2], [{ '+': 1 }, 2], '2 instead of 1'],
  [[], [{ '+': 1 }], 'undefined instead of 1'],
  [[1, 2, 3], [1, 2], 'not expected'],
  [[1], [1, 2], 'ends after 1'],
  ['2026-01-02T03:04:05Z', '<utc-time>', 'is not'],
  ['1', 1, 'instead of'],
])('%j differs from %j: %s', (actual, pattern, reason) => {
  expect(differs(actual, pattern)).toContain(reason);
});

test('an unknown matcher is an error, and no match', () => {
  expect(() => differs(1, '<itn>')).toThrow('unknown matcher');
});
