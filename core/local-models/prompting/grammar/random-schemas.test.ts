/** Whatever follows the grammar of a schema is valid: told by a judge that knows nothing of grammars. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, test } from 'vitest';
import { GrammarSampler } from '#test/support/local-models/gbnf-sampler.ts';
import { randomNumbers, randomSchema } from '#test/support/local-models/random-schema.ts';
import { schemaGrammar } from './json-schema-grammar.ts';
import formats from './string-formats.json' with { type: 'json' };

const SCHEMAS = 200;
const TEXTS = 10;

function judge(schema: object): (value: unknown) => string | undefined {
  const ajv = new Ajv2020({ strict: false, multipleOfPrecision: 6 });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors));
}

/** Throws with the first text that is not valid. */
function checkTexts(schema: Record<string, unknown>, seed: number, texts = TEXTS): void {
  const validity = judge(schema);
  const sampler = new GrammarSampler(schemaGrammar(schema), randomNumbers(seed));
  for (let run = 0; run < texts; run++) {
    const text = sampler.sample();
    const error = validity(JSON.parse(text));
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
    ['choices that must fit', { type: 'string', enum: ['a', 'long', 3], maxLength: 2 }],
    ['choices and a pattern', { enum: ['ab', 'b', 'ba'], pattern: '^a' }],
    ['required members without a schema', { type: 'object', required: ['a'] }],
    [
      'required of one or the other',
      { type: 'object', properties: { a: T, b: T }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    ],
    [
      'parts that close each other',
      { allOf: [{ properties: { a: T }, additionalProperties: false }, { properties: { a: {}, b: T } }] },
    ],
    [
      'a reference with more beside it',
      { $ref: '#/$defs/s', minLength: 4, $defs: { s: { type: 'string', maxLength: 6 } } },
    ],
    [
      'numbers told apart',
      {
        oneOf: [
          { type: 'integer', maximum: 3 },
          { type: 'number', exclusiveMinimum: 3 },
        ],
      },
    ],
    [
      'a member that can never be',
      { properties: { a: false, b: { type: 'integer', minimum: 3, maximum: 1 }, c: T } },
    ],
    [
      'between two and three members',
      { properties: { a: T, b: T, c: T, d: T, e: T }, required: ['c'], minProperties: 2, maxProperties: 3 },
    ],
    [
      'one more than is named',
      { type: 'object', properties: { a: T }, additionalProperties: { type: 'null' }, minProperties: 2 },
    ],
    [
      'others beside those that are named',
      { type: 'object', properties: { ab: T, abc: T, 'é"': T }, additionalProperties: { type: 'integer' } },
    ],
    [
      'names by a pattern',
      { type: 'object', patternProperties: { '^x-': { type: 'integer' } }, additionalProperties: false },
    ],
    [
      'names of some length',
      { type: 'object', propertyNames: { maxLength: 3 }, additionalProperties: { type: 'null' } },
    ],
    ['names that depend', { properties: { a: T, b: T }, dependentRequired: { a: ['b'] } }],
    [
      'different choices',
      { type: 'array', items: { enum: [1, 'a', null, 'b'] }, uniqueItems: true, minItems: 2, maxItems: 3 },
    ],
    [
      'different small numbers',
      { type: 'array', items: { type: 'integer', minimum: 1, maximum: 6 }, uniqueItems: true, minItems: 3 },
    ],
    [
      'something contained',
      { type: 'array', items: { type: 'integer' }, contains: { minimum: 5 }, minContains: 2 },
    ],
    [
      'a tuple with more behind',
      { prefixItems: [T, { type: 'null' }], items: { type: 'integer' }, minItems: 3, maxItems: 5 },
    ],
    ['an old tuple', { type: 'array', prefixItems: [T], items: false }],
    ['a long text', { type: 'string', minLength: 1500, maxLength: 2750 }],
    [
      'a pattern no longer than',
      { type: 'string', pattern: '^[a-z]+(-[a-z]+)*$', minLength: 4, maxLength: 12 },
    ],
    ['a pattern with what JSON escapes', { type: 'string', pattern: '^["\\\\/\\n\\t]{3}[^"a-z]$' }],
    ['a pattern of letters', { type: 'string', pattern: '^\\p{Lu}\\p{L}{2,4}$' }],
    ['a pattern beside its format', { type: 'string', format: 'email', pattern: '^(?!\\.)[^@]+@[^@]+$' }],
    ['decimals', { type: 'number', multipleOf: 0.01 }],
    ['a narrow range', { type: 'number', exclusiveMinimum: 0.1, maximum: 0.12 }],
    ['a range around zero', { type: 'number', minimum: -0.5, exclusiveMaximum: 0 }],
    ['multiples from zero', { type: 'integer', minimum: 0, multipleOf: 7 }],
    ['bounds of 64 bits', { type: 'integer', minimum: -(2 ** 63), maximum: 2 ** 63 }],
    ['anything of one of these kinds', { minLength: 2, minimum: 3 }],
  ])('%s', (_, schema) => {
    checkTexts(schema, 5, 300);
  });

  test.each(Object.keys(formats))('the format %s', (format) => {
    checkTexts({ type: 'string', format }, 3, 400);
  });
});
