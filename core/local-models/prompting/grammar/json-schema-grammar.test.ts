import { describe, expect, test } from 'vitest';
import { follows } from '#test/support/local-models/gbnf.ts';
import { anyJsonGrammar, SchemaError, schemaGrammar } from './json-schema-grammar.ts';

const person = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
};
const optional = {
  type: 'object',
  properties: { a: { type: 'null' }, b: { type: 'null' }, c: { type: 'null' } },
};
const tree = {
  $ref: '#/$defs/node',
  $defs: {
    node: {
      type: 'object',
      properties: {
        value: { type: 'integer' },
        children: { type: 'array', items: { $ref: '#/$defs/node' } },
      },
      required: ['value'],
    },
  },
};

type Row = [title: string, schema: object, valid: string[], invalid: string[]];

const rows: Row[] = [
  [
    'required members, in order',
    person,
    ['{"name":"Ada","age":36}', '{\n  "name" : "Ava","age" : 25\n}', '{"name":"a\\"\\u00e9","age":-1}'],
    [
      '{}',
      '{"age":1,"name":"x"}',
      '{"name":"x"}',
      '{"name":"x","age":1.5}',
      '{"name":"x","age":1,"z":1}',
      '["x"]',
    ],
  ],
  [
    'any of the optional members',
    optional,
    ['{}', '{"a":null}', '{"b":null}', '{"a":null,"c":null}', '{"a":null,"b":null,"c":null}'],
    ['{"b":null,"a":null}', '{,"a":null}', '{"a":null,}'],
  ],
  [
    'required members before optional ones',
    { ...optional, required: ['b'] },
    ['{"b":null}', '{"b":null,"a":null,"c":null}'],
    ['{"a":null}', '{}'],
  ],
  [
    'additional members',
    { type: 'object', properties: { a: { type: 'null' } }, additionalProperties: { type: 'integer' } },
    ['{}', '{"a":null,"x":1,"y":2}', '{"x":1}'],
    ['{"x":"s"}'],
  ],
  ['any object', {}, ['{}', '{"a":[1,{"b":null}]}'], ['[]', '1', '']],
  [
    'an array',
    { type: 'array', items: { type: 'boolean' } },
    ['[]', '[true, false]'],
    ['[1]', '[true', '{}'],
  ],
  [
    'an array of a limited length',
    { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 3 },
    ['[1,2]', '[1,2,3]'],
    ['[]', '[1]', '[1,2,3,4]'],
  ],
  [
    'a tuple',
    { prefixItems: [{ type: 'string' }, { type: 'null' }] },
    ['["a",null]'],
    ['["a"]', '[null,"a"]'],
  ],
  ['enumerated values', { enum: ['red', 3, null] }, ['"red"', '3', 'null'], ['"blue"', '4']],
  ['a constant', { const: { a: [1] } }, ['{"a":[1]}'], ['{"a":[2]}']],
  ['alternatives', { anyOf: [{ type: 'string' }, { type: 'integer' }] }, ['"x"', '5'], ['true']],
  ['several types', { type: ['string', 'null'] }, ['"x"', 'null'], ['1']],
  [
    'merged parts',
    {
      allOf: [
        { properties: { a: { type: 'null' } }, required: ['a'] },
        { properties: { b: { type: 'null' } }, required: ['b'] },
      ],
    },
    ['{"a":null,"b":null}'],
    ['{"a":null}'],
  ],
  [
    'a recursive schema',
    tree,
    ['{"value":1}', '{"value":1,"children":[{"value":2,"children":[]},{"value":3}]}'],
    ['{"value":1,"children":[1]}'],
  ],
  [
    'a string of a limited length',
    { type: 'string', minLength: 2, maxLength: 3 },
    ['"ab"', '"abc"', '"日本語"'],
    ['"a"', '"abcd"'],
  ],
  ['a date', { type: 'string', format: 'date' }, ['"2026-11-21"'], ['"2026-13-01"', '"x"']],
  [
    'a date with time',
    { type: 'string', format: 'date-time' },
    ['"2026-11-21T05:30:00.123Z"'],
    ['"2026-11-21"'],
  ],
  ['a uuid', { format: 'uuid', type: 'string' }, ['"123e4567-e89b-12d3-a456-426614174000"'], ['"123"']],
  [
    'a pattern',
    { type: 'string', pattern: '^[A-Z]{2}-\\d+(\\.(a|b))?$' },
    ['"AB-1"', '"AB-12.a"'],
    ['"A-1"', '"AB-"', '"AB-1.c"', '"xAB-1"'],
  ],
  ['a pattern without anchors', { type: 'string', pattern: 'b+' }, ['"abbc"', '"b"'], ['"ac"']],
  ['numbers', { type: 'number' }, ['0', '-1.5', '1e10', '12.25E-3'], ['01', '.5', '"1"']],
];

describe('the grammar allows', () => {
  test.each(rows)('%s', (_, schema, valid, invalid) => {
    const grammar = schemaGrammar(schema as Record<string, unknown>);
    for (const text of valid) expect([text, follows(grammar, text)]).toEqual([text, true]);
    for (const text of invalid) expect([text, follows(grammar, text)]).toEqual([text, false]);
  });

  test.each([
    [0, 9],
    [1, 12],
    [-5, 5],
    [37, 142],
    [99, 1001],
    [-120, -7],
    [0, 0],
  ])('integers from %i to %i', (minimum, maximum) => {
    const grammar = schemaGrammar({ type: 'integer', minimum, maximum });
    for (let n = minimum - 12; n <= maximum + 12; n++) {
      expect([n, follows(grammar, String(n))]).toEqual([n, n >= minimum && n <= maximum]);
    }
  });

  test.each([
    [{ minimum: 15 }, ['15', '99', '100', '12345678'], ['14', '0', '-15', '015']],
    [{ maximum: -3 }, ['-3', '-10', '-99999'], ['-2', '0', '3']],
    [{ exclusiveMinimum: 0, exclusiveMaximum: 3 }, ['1', '2'], ['0', '3']],
    [{ minimum: 0.5, maximum: 2.5 }, ['1', '2'], ['0', '3']],
  ])('integers with %j', (bounds, valid, invalid) => {
    const grammar = schemaGrammar({ type: 'integer', ...bounds });
    for (const text of valid) expect([text, follows(grammar, text)]).toEqual([text, true]);
    for (const text of invalid) expect([text, follows(grammar, text)]).toEqual([text, false]);
  });
});

test('names of members may contain any characters', () => {
  const properties = {
    'a b': { type: 'null' },
    'a-b': { type: 'null' },
    'é"': { type: 'null' },
    char: { type: 'string' },
  };
  const grammar = schemaGrammar({ type: 'object', properties, required: Object.keys(properties) });
  expect(follows(grammar, '{"a b":null,"a-b":null,"é\\"":null,"char":"x"}')).toBe(true);
});

test('the format "json" allows any object', () => {
  expect(follows(anyJsonGrammar(), '{"a": [1, "x", {"b": null}]}')).toBe(true);
  expect(follows(anyJsonGrammar(), 'The answer is 4')).toBe(false);
});

test.each([
  [{ type: 'nonsense' }, 'Unrecognized schema: {"type":"nonsense"}'],
  [{ type: 'array', items: { type: 'x' } }, 'Unrecognized schema: {"type":"x"}'],
  [{ type: 'object', properties: { a: false }, required: ['a'] }, '"properties" allows no value'],
  [{ enum: [] }, 'Unrecognized schema: {"enum":[]}'],
  [{ $ref: 'https://example.com/x' }, 'Unsupported ref: https://example.com/x'],
  [{ $ref: '#/$defs/none' }, 'Error resolving ref #/$defs/none: $defs not in'],
  [{ type: 'string', pattern: '(?=x)' }, 'is not supported'],
  [{ type: 'integer', minimum: 3, maximum: 1 }, 'Unrecognized schema'],
])('refuses %j', (schema, message) => {
  expect(() => schemaGrammar(schema as Record<string, unknown>)).toThrow(SchemaError);
  expect(() => schemaGrammar(schema as Record<string, unknown>)).toThrow(message);
});

test('a deeply nested schema is refused', () => {
  let schema: Record<string, unknown> = { type: 'null' };
  for (let depth = 0; depth < 300; depth++) schema = { type: 'array', items: schema };
  expect(() => schemaGrammar(schema)).toThrow('too deeply nested');
});

describe('an error names the keyword', () => {
  const T = { type: 'string' };
  test.each<[string, Record<string, unknown>]>([
    ['not', { not: { type: 'string' } }],
    ['if', { type: 'object', if: { required: ['a'] }, else: { required: ['b'] } }],
    ['uniqueItems', { type: 'array', items: T, uniqueItems: true }],
    ['maxContains', { type: 'array', contains: T, maxContains: 2 }],
    ['patternProperties', { type: 'object', patternProperties: { '^a': T, '^b': T } }],
    ['minProperties', { type: 'object', additionalProperties: T, minProperties: 3 }],
    ['dependentSchemas', { properties: { a: T }, dependentSchemas: { a: { required: ['b'] } } }],
    ['oneOf', { oneOf: [T, { type: 'string', maxLength: 3 }] }],
    ['multipleOf', { type: 'number', multipleOf: 0.3 }],
    ['pattern', { allOf: [{ type: 'string', pattern: '^a' }, { pattern: 'b$' }] }],
    ['$dynamicRef', { $dynamicRef: '#x' }],
    ['minLength', { type: 'string', minLength: 1e9 }],
  ])('%s, which a grammar cannot express', (keyword, schema) => {
    expect(() => schemaGrammar(schema)).toThrow(SchemaError);
    expect(() => schemaGrammar(schema)).toThrow(`"${keyword}" is not supported here`);
    expect(() => schemaGrammar({ type: 'object', properties: { deep: schema } })).toThrow(`"${keyword}"`);
  });

  test.each<[string, Record<string, unknown>]>([
    ['type', { allOf: [T, { type: 'integer' }] }],
    ['enum', { enum: ['a'], type: 'integer' }],
    ['required', { type: 'object', properties: {}, required: ['a'], additionalProperties: false }],
    ['maxLength', { type: 'string', minLength: 3, maxLength: 2 }],
    ['maxItems', { type: 'array', minItems: 3, maxItems: 2 }],
    ['maxProperties', { properties: { a: T, b: T }, required: ['a', 'b'], maxProperties: 1 }],
  ])('%s, which no value satisfies', (keyword, schema) => {
    expect(() => schemaGrammar(schema)).toThrow(`"${keyword}" allows no value`);
  });
});

describe('a hostile schema is refused in little time', () => {
  const chain = (count: number, part: (next: string) => object) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`d${at}`, part(`#/$defs/d${(at + 1) % count}`)]),
    );
  test.each<[string, () => Record<string, unknown>]>([
    ['a reference to itself', () => ({ $ref: '#' })],
    ['a circle of references', () => ({ $ref: '#/$defs/d0', $defs: chain(3, ($ref) => ({ $ref })) })],
    [
      'an alternative with left recursion',
      () => ({ $ref: '#/$defs/d0', $defs: chain(2, ($ref) => ({ anyOf: [{ $ref }, { type: 'null' }] })) }),
    ],
    [
      'a merged circle of references',
      () => ({ $ref: '#/$defs/d0', $defs: chain(2, ($ref) => ({ allOf: [{ $ref }], minLength: 1 })) }),
    ],
    [
      'a product of alternatives',
      () => ({
        allOf: Array.from({ length: 20 }, (_, at) => ({
          anyOf: [{ properties: { [`a${at}`]: {} } }, { properties: { [`b${at}`]: {} } }],
        })),
      }),
    ],
    [
      'nested alternatives',
      () => {
        let schema: Record<string, unknown> = { type: 'string', maxLength: 4 };
        for (let depth = 0; depth < 40; depth++) schema = { anyOf: [schema, schema] };
        return schema;
      },
    ],
    [
      'a deeply nested pattern',
      () => ({ type: 'string', pattern: `^${'('.repeat(5000)}a${')'.repeat(5000)}$` }),
    ],
    ['a very long pattern', () => ({ type: 'string', pattern: `^${'a?'.repeat(100_000)}$` })],
    ['a very long enumeration', () => ({ enum: Array.from({ length: 300_000 }, (_, at) => `value ${at}`) })],
  ])('%s', (_, schema) => {
    const before = performance.now();
    expect(() => schemaGrammar(schema())).toThrow(SchemaError);
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  test('enumerated values are matched with a pattern without backtracking', () => {
    const before = performance.now();
    const schema = { type: 'string', enum: [`${'a'.repeat(200)}b`, 'aa'], pattern: '^(a+)+$' };
    expect(schemaGrammar(schema)).toBe('root ::= ("\\"aa\\"" space)\nspace ::= | " " | "\\n" [ \\t]{0,20}\n');
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});
