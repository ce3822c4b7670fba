import { parseExpressionAt } from 'acorn';
import { describe, expect, it } from 'vitest';
import { pairedItemsOf, sampleScope } from '#test/support/webhooks/expression-scope.ts';
import type { ExpressionScope } from './expressions.ts';
import { parsePlainPath } from './parse-plain-path.ts';
import { plainText } from './plain-text.ts';
import { currentItems, previousNode, readPath } from './read-path.ts';

const read = (code: string, index = 0, scope: ExpressionScope = sampleScope()) =>
  readPath(parsePlainPath(parseExpressionAt(code, 0, { ecmaVersion: 'latest' }))!, scope, index);

describe('readPath', () => {
  it.each([
    ['$json.m', 80],
    ['$json', { m: 80 }],
    ['$binary', {}],
    ['$execution.id', '12'],
    ['$workflow.name', 'Test'],
    ['$vars.team', 'blue'],
    ['$parameter.limit', 5],
    ['$prevNode.name', 'Middle'],
    ['$itemIndex', 1],
    ['$runIndex', 0],
    ['$mode', 'webhook'],
    ['$nodeId', 'id-1'],
    ['$nodeVersion', 2],
    ['$input.item.json.m', 80],
    ['$input.first().json.m', 70],
    ['$input.last().json.m', 80],
    ["$('Start').item.json.n", 8],
    ["$('Start').first().json.n", 7],
    ["$node['Start'].json.n", 8],
    ["$('Start').last().json.text.length", 2],
    ["$('Start').last().json.text[0]", 'B'],
  ])('reads %s of the second item', (code, value) => {
    expect(read(code, 1)).toEqual(value);
  });

  it.each(['$json.none.deeper', '$json.toString', '$json.m.toFixed', "$('Start').item.json.text.at"])(
    'is undefined for %s',
    (code) => {
      expect(read(code)).toBeUndefined();
    },
  );

  it('is empty for an item that does not exist', () => {
    expect(read('$json', 9)).toEqual({});
    expect(read('$input.item', 9)).toBeUndefined();
  });
});

it('the current items are those of the first input that has any', () => {
  const second = pairedItemsOf({ a: 1 });
  expect(currentItems(sampleScope({ inputs: [null, [], second] }))).toBe(second);
  expect(currentItems(sampleScope({ inputs: [[], null] }))).toEqual([]);
  expect(currentItems(sampleScope({ inputs: [] }))).toEqual([]);
});

it('the previous node is that of the first connected input', () => {
  const sources = [null, { previousNode: 'A', previousNodeOutput: 1, previousNodeRun: 2 }];
  expect(previousNode(sampleScope({ sources }))).toEqual({ name: 'A', outputIndex: 1, runIndex: 2 });
  expect(previousNode(sampleScope({ sources: [] })).name).toBeUndefined();
});

it('plainText is empty for missing values', () => {
  expect([undefined, null, Number.NaN, 0, false, [1, 2]].map(plainText)).toEqual([
    '',
    '',
    '',
    '0',
    'false',
    '1,2',
  ]);
});
