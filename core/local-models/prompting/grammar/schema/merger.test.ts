import { describe, expect, test } from 'vitest';
import { Merger } from './merger.ts';
import { ImpossibleError, type Schema, SchemaError } from './schema.ts';

const merger = (root: Schema = {}) => new Merger((reference) => root[reference]);

describe('two schemas become one', () => {
  test.each<[string, Schema, Schema, unknown]>([
    [
      'the stricter bounds',
      { minimum: 1, maxLength: 9 },
      { minimum: 3, maxLength: 5 },
      { minimum: 3, maxLength: 5 },
    ],
    ['the narrower type', { type: ['number', 'string'] }, { type: 'integer' }, { type: 'integer' }],
    [
      'common values',
      { enum: [1, 'a', { b: 1, c: 2 }] },
      { enum: [{ c: 2, b: 1 }, 1] },
      { enum: [1, { b: 1, c: 2 }] },
    ],
    ['a constant that is enumerated', { const: 1 }, { enum: [1, 2] }, { enum: [1] }],
    ['a common multiple', { multipleOf: 4 }, { multipleOf: 6 }, { multipleOf: 12 }],
    [
      'every combination of alternatives',
      { anyOf: [{ minimum: 1 }, { minimum: 2 }] },
      { anyOf: [{ maximum: 5 }] },
      {
        anyOf: [
          { minimum: 1, maximum: 5 },
          { minimum: 2, maximum: 5 },
        ],
      },
    ],
    [
      'members of both, each with the schema for other members of its counterpart',
      { properties: { a: { minimum: 1 } }, additionalProperties: false, required: ['a'] },
      { properties: { a: { maximum: 2 }, b: {} }, required: ['c'] },
      {
        properties: { a: { minimum: 1, maximum: 2 }, b: false },
        additionalProperties: false,
        required: ['a', 'c'],
      },
    ],
    [
      'items of tuples in both spellings',
      { items: [{ minimum: 1 }], additionalItems: false },
      { prefixItems: [{ maximum: 2 }, { type: 'string' }] },
      { prefixItems: [{ minimum: 1, maximum: 2 }, false], items: false },
    ],
  ])('with %s', (_, first, second, expected) => {
    expect(merger().merge(first, second)).toEqual(expected);
  });

  test('true is neutral, false wins', () => {
    expect(merger().merge(true, { minimum: 1 })).toEqual({ minimum: 1 });
    expect(merger().merge({ minimum: 1 }, false)).toBe(false);
  });
});

test('an impossible member is forbidden, an impossible schema is an error', () => {
  const properties = (type: string) => ({ properties: { a: { type } } });
  expect(merger().merge(properties('string'), properties('null'))).toMatchObject({
    properties: { a: false },
  });
  expect(() => merger().merge({ type: 'string' }, { type: 'null' })).toThrow(ImpossibleError);
  expect(() => merger().merge({ const: 1 }, { enum: [2] })).toThrow(ImpossibleError);
});

test('keywords that cannot be combined are refused, unless they are equal', () => {
  expect(merger().merge({ pattern: 'a' }, { pattern: 'a' })).toEqual({ pattern: 'a' });
  expect(() => merger().merge({ pattern: 'a' }, { pattern: 'b' })).toThrow('"pattern" is not supported');
  expect(() => merger().merge({ multipleOf: 0.5 }, { multipleOf: 2 })).toThrow(
    '"multipleOf" is not supported',
  );
});

test('references and parts are merged in; endless references are refused', () => {
  const root: Schema = { text: { type: 'string' }, loop: { $ref: 'loop' } };
  expect(merger(root).expand({ $ref: 'text', allOf: [{ minLength: 1 }, { maxLength: 2 }] })).toEqual({
    type: 'string',
    minLength: 1,
    maxLength: 2,
  });
  expect(() => merger(root).expand({ $ref: 'loop' })).toThrow(SchemaError);
});
