import { describe, expect, it } from 'vitest';
import { fitToSchema } from './fit-to-schema.ts';
import { documentSchema } from './normal-schema.ts';
import { readSchema, schemaOfExample } from './schema-of-example.ts';

it('schemas of examples name the types of the values', () => {
  expect(schemaOfExample({ a: 1, b: ['x'], c: null }, true)).toEqual({
    type: 'object',
    properties: {
      a: { type: 'number' },
      b: { type: 'array', items: { type: 'string' } },
      c: { type: 'null' },
    },
    required: ['a', 'b', 'c'],
  });
  expect(() => readSchema('{', { isExample: false, allRequired: false })).toThrow('JSON Schema');
});

it('schemas for models have closed objects and a dialect', () => {
  const schema = documentSchema({
    properties: { a: { type: 'string', title: 'A', description: 'd' } },
    type: 'object',
    required: ['a', 'none'],
  });
  expect(JSON.stringify(schema)).toBe(
    '{"type":"object","properties":{"a":{"type":"string","description":"d"}},"required":["a"],"additionalProperties":false,"$schema":"http://json-schema.org/draft-07/schema#"}',
  );
});

describe('fitToSchema', () => {
  const schema = documentSchema({
    type: 'object',
    properties: {
      name: { type: 'string' },
      size: { type: 'number', minimum: 0, maximum: 1 },
      kind: { type: 'string', enum: ['a', 'b'] },
      list: { type: 'array', items: { type: 'boolean' } },
    },
    required: ['name'],
  });

  it('drops fields that the schema does not name', () => {
    expect(fitToSchema({ name: 'x', more: 1 }, schema)).toEqual({ value: { name: 'x' } });
  });

  it.each([
    [{}, ['name'], 'Required'],
    [{ name: 1 }, ['name'], 'Expected string, received number'],
    [{ name: 'x', size: 2 }, ['size'], 'Number must be less than or equal to 1'],
    [{ name: 'x', kind: 'c' }, ['kind'], "Invalid enum value. Expected 'a' | 'b', received 'c'"],
    [{ name: 'x', list: [true, 0] }, ['list', 1], 'Expected boolean, received number'],
    ['text', [], 'Expected object, received string'],
  ])('names the fault of %j', (value, path, message) => {
    expect(fitToSchema(value, schema)).toMatchObject({ faults: [{ path, message }] });
  });
});
