/** Draws random texts from the grammars of schemas, and validates them with ajv. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, test } from 'vitest';
import { GrammarSampler } from '#test/support/local-models/gbnf-sampler.ts';
import { randomNumbers, randomSchema } from '#test/support/local-models/random-schema.ts';
import { schemaGrammar } from './json-schema-grammar.ts';
import formats from './string-formats.json' with { type: 'json' };

const SCHEMAS = 200;
const TEXTS = 10;

/** Returns a function that validates a value: undefined, or the error. */
function validator(schema: object): (value: unknown) => string | undefined {
  const ajv = new Ajv2020({ strict: false, multipleOfPrecision: 6 });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors));
}

/** @throws an error with the first text that is invalid */
function checkTexts(schema: Record<string, unknown>, seed: number, texts = TEXTS): void {
  const validate = validator(schema);
  const sampler = new GrammarSampler(schemaGrammar(schema), randomNumbers(seed));
  for (let run = 0; run < texts; run++) {
    const text = sampler.sample();
    const error = validate(JSON.parse(text));
    if (error) throw new Error(`${error}\n${text}\n${JSON.stringify(schema)}`);
  }
}

test(`${SCHEMAS} random schemas: every text of their grammars is valid`, () => {
  for (let seed = 1; seed <= SCHEMAS; seed++) checkTexts(randomSchema(randomNumbers(seed)), seed);
});

describe('every text is valid for', () => {
  const T = { type: 'string' };
  test.each<[string, Record<string, unknown>]>([
    ['nullable', { type: 'string', nullable: true, maxLength: 3 }],
    ['enumerated values with other keywords', { type: 'string', enum: ['a', 'long', 3], maxLength: 2 }],
    ['enumerated values and a pattern', { enum: ['ab', 'b', 'ba'], pattern: '^a' }],
    ['required members without a schema', { type: 'object', required: ['a'] }],
    [
      'alternative required members',
      { type: 'object', properties: { a: T, b: T }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    ],
    [
      'merged parts that forbid additional members',
      { allOf: [{ properties: { a: T }, additionalProperties: false }, { properties: { a: {}, b: T } }] },
    ],
    [
      'a reference with other keywords',
      { $ref: '#/$defs/s', minLength: 4, $defs: { s: { type: 'string', maxLength: 6 } } },
    ],
    [
      'alternative ranges of numbers',
      {
        oneOf: [
          { type: 'integer', maximum: 3 },
          { type: 'number', exclusiveMinimum: 3 },
        ],
      },
    ],
    [
      'impossible members',
      { properties: { a: false, b: { type: 'integer', minimum: 3, maximum: 1 }, c: T } },
    ],
    [
      'between two and three members',
      { properties: { a: T, b: T, c: T, d: T, e: T }, required: ['c'], minProperties: 2, maxProperties: 3 },
    ],
    [
      'a named member and an additional one',
      { type: 'object', properties: { a: T }, additionalProperties: { type: 'null' }, minProperties: 2 },
    ],
    [
      'additional members next to named ones',
      { type: 'object', properties: { ab: T, abc: T, 'é"': T }, additionalProperties: { type: 'integer' } },
    ],
    [
      'names that match a pattern',
      { type: 'object', patternProperties: { '^x-': { type: 'integer' } }, additionalProperties: false },
    ],
    [
      'names of a limited length',
      { type: 'object', propertyNames: { maxLength: 3 }, additionalProperties: { type: 'null' } },
    ],
    ['dependent members', { properties: { a: T, b: T }, dependentRequired: { a: ['b'] } }],
    [
      'unique enumerated items',
      { type: 'array', items: { enum: [1, 'a', null, 'b'] }, uniqueItems: true, minItems: 2, maxItems: 3 },
    ],
    [
      'unique small numbers',
      { type: 'array', items: { type: 'integer', minimum: 1, maximum: 6 }, uniqueItems: true, minItems: 3 },
    ],
    [
      'an array that contains certain items',
      { type: 'array', items: { type: 'integer' }, contains: { minimum: 5 }, minContains: 2 },
    ],
    [
      'a tuple with further items',
      { prefixItems: [T, { type: 'null' }], items: { type: 'integer' }, minItems: 3, maxItems: 5 },
    ],
    ['a tuple without further items', { type: 'array', prefixItems: [T], items: false }],
    ['a long text', { type: 'string', minLength: 1500, maxLength: 2750 }],
    [
      'a pattern with a limited length',
      { type: 'string', pattern: '^[a-z]+(-[a-z]+)*$', minLength: 4, maxLength: 12 },
    ],
    [
      'a pattern with characters that JSON escapes',
      { type: 'string', pattern: '^["\\\\/\\n\\t]{3}[^"a-z]$' },
    ],
    ['a pattern of letters', { type: 'string', pattern: '^\\p{Lu}\\p{L}{2,4}$' }],
    ['a pattern next to its format', { type: 'string', format: 'email', pattern: '^(?!\\.)[^@]+@[^@]+$' }],
    ['decimals', { type: 'number', multipleOf: 0.01 }],
    ['a narrow range', { type: 'number', exclusiveMinimum: 0.1, maximum: 0.12 }],
    ['a range around zero', { type: 'number', minimum: -0.5, exclusiveMaximum: 0 }],
    ['multiples from zero', { type: 'integer', minimum: 0, multipleOf: 7 }],
    ['64-bit bounds', { type: 'integer', minimum: -(2 ** 63), maximum: 2 ** 63 }],
    ['strings or numbers by their keywords', { minLength: 2, minimum: 3 }],
  ])('%s', (_, schema) => {
    checkTexts(schema, 5, 300);
  });

  test.each(Object.keys(formats))('the format %s', (format) => {
    checkTexts({ type: 'string', format }, 3, 400);
  });
});
