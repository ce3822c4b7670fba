import { parseExpressionAt } from 'acorn';
import { expect, it } from 'vitest';
import { parsePlainPath } from './parse-plain-path.ts';

const parse = (code: string) => parsePlainPath(parseExpressionAt(code, 0, { ecmaVersion: 'latest' }));

it.each([
  ['$json.a["b c"][0]', { root: { kind: 'json' }, keys: ['a', 'b c', 0] }],
  ['$json?.a?.b', { root: { kind: 'json' }, keys: ['a', 'b'] }],
  ['$vars', { root: { kind: 'vars' }, keys: [] }],
  ['$itemIndex', { root: { kind: 'scalar', name: '$itemIndex' }, keys: [] }],
  ["'text'", { root: { kind: 'literal', value: 'text' }, keys: [] }],
  ['null', { root: { kind: 'literal', value: null }, keys: [] }],
  ['undefined', { root: { kind: 'literal', value: undefined }, keys: [] }],
  ['$input.item.json.a', { root: { kind: 'input', which: 'item' }, keys: ['json', 'a'] }],
  ['$input.first().json', { root: { kind: 'input', which: 'first' }, keys: ['json'] }],
  ["$('N').last().json.a", { root: { kind: 'node', name: 'N', which: 'last' }, keys: ['json', 'a'] }],
  ["$('N').item.binary", { root: { kind: 'node', name: 'N', which: 'item' }, keys: ['binary'] }],
  ["$node['N'].json.a", { root: { kind: 'node', name: 'N', which: 'index' }, keys: ['json', 'a'] }],
  ['$node.N.json', { root: { kind: 'node', name: 'N', which: 'index' }, keys: ['json'] }],
])('reads %s', (code, path) => {
  expect(parse(code)).toEqual(path);
});

it.each([
  '$json.a + 1',
  '$json.a()',
  '$json[key]',
  '$json[true]',
  '$json.__proto__.x',
  '$json["constructor"]',
  '$itemIndex.toFixed',
  '`text`',
  '10n',
  '/x/',
  '-1',
  'name',
  '$input.first(1).json',
  '$input.all()',
  '$(name).item',
  "$('N', 1).item",
  "$node['N'].parameter.a",
  "$node['N']",
])('leaves %s to the sandbox', (code) => {
  expect(parse(code)).toBeUndefined();
});
