import { expect, test } from 'vitest';
import { disjoint, finiteValues } from './disjoint.ts';
import { Merger } from './merger.ts';

const T = { type: 'string' };
const kind = (name: string, rest: object = {}) => ({
  type: 'object',
  properties: { kind: { const: name }, ...rest },
  required: ['kind'],
});

test.each<[boolean, unknown, unknown]>([
  [true, T, { type: 'integer' }],
  [false, { type: 'number' }, { type: 'integer' }],
  [true, { enum: ['a', 'b'] }, { const: 'c' }],
  [false, { enum: ['a', 'b'] }, { const: 'b' }],
  [true, { enum: ['a', 'b'] }, { type: 'string', minLength: 2 }],
  [true, { type: 'number', maximum: 3 }, { type: 'number', exclusiveMinimum: 3 }],
  [false, { type: 'number', maximum: 3 }, { type: 'number', minimum: 3 }],
  [true, { type: 'integer', minimum: 1, maximum: 9, multipleOf: 2 }, { enum: [1, 3, 11] }],
  [true, kind('a'), kind('b')],
  [false, kind('a'), kind('a', { x: T })],
  [true, { ...kind('a'), additionalProperties: false }, { properties: { b: T }, required: ['b'] }],
  [false, { type: 'object', properties: { a: T } }, { type: 'object', properties: { b: T } }],
  [true, { anyOf: [T, { type: 'null' }] }, { type: 'boolean' }],
  [false, { anyOf: [T, { type: 'null' }] }, { type: 'null' }],
  [true, { $ref: '#' }, T],
  [true, false, T],
  [false, true, T],
  [false, { type: 'string', pattern: '(?=a)' }, { const: 'a', type: 'string' }],
])('%s: %j and %j have no value in common', (expected, first, second) => {
  const merger = new Merger(() => ({ type: 'null' }));
  expect(disjoint(first, second, merger)).toBe(expected);
  expect(disjoint(second, first, merger)).toBe(expected);
});

test.each([
  [{ type: 'boolean' }, [false, true]],
  [{ type: 'integer', minimum: 0.5, maximum: 4, multipleOf: 2 }, [2, 4]],
  [{ type: 'integer', minimum: 0, maximum: 31 }, undefined],
  [{ type: 'number', minimum: 0, maximum: 1 }, undefined],
])('the values of %j', (schema, values) => {
  expect(finiteValues(schema)).toEqual(values);
});
