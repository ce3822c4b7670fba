import { expect, it } from 'vitest';
import { type LegacyType, meetsLegacyCondition } from './legacy.ts';

it.each([
  ['string', 'a', 'equal', 'a', true],
  ['string', 'a', undefined, 'b', false],
  ['string', 'abc', 'contains', 'B', false],
  ['string', 'abc', 'notStartsWith', 'b', true],
  ['string', 'abc', 'endsWith', 'bc', true],
  ['string', 'abc', 'regex', '/B/i', true],
  ['string', 'abc', 'notRegex', 'b', false],
  ['string', undefined, 'isEmpty', undefined, true],
  ['string', 5, 'equal', '5', true],
  ['string', 'a', 'sounds', 'a', false],
  ['number', '5', 'larger', 4, true],
  ['number', 4, undefined, 5, true],
  ['number', 5, 'smallerEqual', 5, true],
  ['number', '', 'isEmpty', undefined, true],
  ['number', 0, 'isNotEmpty', undefined, true],
  ['number', 1, 'nearly', 1, false],
  ['boolean', 'false', 'equal', false, true],
  ['boolean', 'yes', 'notEqual', true, false],
  ['dateTime', '2024-01-02', 'after', '2024-01-01', true],
  ['dateTime', '2024-01-02', 'before', '2024-01-01', false],
  ['dateTime', 'soon', 'before', 1, true],
] as [LegacyType, unknown, string | undefined, unknown, boolean][])(
  'a %s: %j %s %j is %s',
  (type, value1, operation, value2, result) => {
    const condition = { value1, value2, ...(operation && { operation }) };
    expect(meetsLegacyCondition(type, condition, 'utc')).toBe(result);
  },
);

it('an invalid pattern throws', () => {
  const condition = { value1: 'a', operation: 'regex', value2: '(' };
  expect(() => meetsLegacyCondition('string', condition, 'utc')).toThrow(SyntaxError);
});
