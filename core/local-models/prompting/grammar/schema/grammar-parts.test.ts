import { describe, expect, test } from 'vitest';
import { follows } from '#test/support/local-models/gbnf.ts';
import { schemaGrammar } from '../json-schema-grammar.ts';
import { nameExcept } from './name-except.ts';

const N = { type: 'null' };
const accepted = (schema: Record<string, unknown>, texts: string[]) => {
  const grammar = schemaGrammar(schema);
  return texts.filter((text) => follows(grammar, text));
};

describe('members of objects', () => {
  const members = ['a', 'b', 'c', 'd'];
  const subsets = Array.from({ length: 16 }, (_, bits) => members.filter((_, at) => bits & (1 << at)));
  const print = (keys: string[]) => `{${keys.map((key) => `"${key}":null`).join(',')}}`;

  test.each([
    [0, 4],
    [1, 1],
    [2, 3],
    [4, 4],
    [0, 0],
  ])('from %i to %i of the optional ones, in order', (minProperties, maxProperties) => {
    const properties = Object.fromEntries(members.map((key) => [key, N]));
    const expected = subsets.filter(({ length }) => length >= minProperties && length <= maxProperties);
    expect(accepted({ properties, minProperties, maxProperties }, subsets.map(print))).toEqual(
      expected.map(print),
    );
  });

  test('without names, by number', () => {
    const schema = { type: 'object', additionalProperties: N, maxProperties: 2 };
    expect(accepted({ ...schema, minProperties: 1 }, subsets.map(print))).toEqual(
      subsets.filter(({ length }) => length === 1 || length === 2).map(print),
    );
    expect(accepted({ ...schema, maxProperties: 0 }, subsets.map(print))).toEqual(['{}']);
  });
});

test('an array continues a tuple only if the schema says so', () => {
  const texts = ['[]', '[null]', '[null,null]', '[null,true]', '[null,true,true]', '[null,true,true,true]'];
  const tuple = { prefixItems: [N] };
  expect(accepted(tuple, texts)).toEqual(['[null]']);
  expect(accepted({ ...tuple, items: { type: 'boolean' }, maxItems: 3 }, texts)).toEqual([
    '[null]',
    '[null,true]',
    '[null,true,true]',
  ]);
  expect(accepted({ ...tuple, items: false, minItems: 1 }, texts)).toEqual(['[null]']);
  expect(accepted({ prefixItems: [N, false], items: N }, texts)).toEqual(['[null]']);
});

test('names other than the excluded ones', () => {
  const rules: string[] = [];
  const add = (name: string, body: string) => {
    rules.push(`${name}-${rules.length} ::= ${body}\n`);
    return `${name}-${rules.length - 1}`;
  };
  const root = nameExcept(['ab', 'abc', ']', 'é"'], 'name', { add } as never);
  const grammar = `root ::= ${root}\n${rules.join('')}`;
  const allowed = ['', 'a', 'b', 'abcd', 'x]', 'é', 'aé', '^'];
  const refused = ['ab', 'abc', ']', 'é"', 'a\\u0062', 'a\u0001'];
  expect([...allowed, ...refused].filter((name) => follows(grammar, `"${name}"`))).toEqual(allowed);
});
