import { describe, expect, it } from 'vitest';
import type { Condition, ConditionOperator } from '#core/workflow-format';
import { type ConditionRules, conditionRules, meetsConditionTable } from './meets-condition-table.ts';

const RULES: ConditionRules = { itemIndex: 3, timezone: 'utc' };

const condition = (
  left: unknown,
  type: string,
  operation: string,
  right?: unknown,
  operator: Partial<ConditionOperator> = {},
): Condition => ({
  leftValue: left,
  rightValue: right,
  operator: { type, operation, ...operator } as ConditionOperator,
});

const meets = (single: Condition, rules: Partial<ConditionRules> = {}) =>
  meetsConditionTable({ conditions: [single] }, { ...RULES, ...rules });

describe('an operation', () => {
  it.each([
    ['a', 'string', 'equals', 'a', true],
    ['a', 'string', 'notEquals', 'a', false],
    ['abc', 'string', 'contains', 'b', true],
    ['abc', 'string', 'notContains', 'b', false],
    ['abc', 'string', 'startsWith', 'ab', true],
    ['abc', 'string', 'notEndsWith', 'bc', false],
    ['abc', 'string', 'regex', '^A', false],
    ['abc', 'string', 'regex', '/^A/i', true],
    ['abc', 'string', 'notRegex', 'z$', true],
    ['', 'string', 'empty', undefined, true],
    [null, 'string', 'empty', undefined, true],
    [undefined, 'string', 'exists', undefined, false],
    ['', 'string', 'exists', undefined, true],
    [null, 'string', 'notExists', undefined, true],
    [2, 'number', 'gt', 1, true],
    [2, 'number', 'lte', 2, true],
    [Number.NaN, 'number', 'empty', undefined, true],
    [0, 'number', 'notEmpty', undefined, true],
    ['2024-01-02', 'dateTime', 'after', '2024-01-01', true],
    ['2024-01-01', 'dateTime', 'beforeOrEquals', '2024-01-01T00:00:00Z', true],
    [true, 'boolean', 'true', undefined, true],
    [true, 'boolean', 'notEquals', false, true],
    [[1, 2], 'array', 'contains', 2, true],
    [[1, 2], 'array', 'lengthGt', 2, false],
    [undefined, 'array', 'lengthEquals', 0, true],
    [{}, 'object', 'empty', undefined, true],
    [{ a: 1 }, 'object', 'notEmpty', undefined, true],
    ['a', 'string', 'isPrime', 'a', false],
  ])('compares %j by %s %s with %j', (left, type, operation, right, result) => {
    // The element of a list has any type.
    const operator = type === 'array' && operation === 'contains' ? { rightType: 'any' as const } : {};
    expect(meets(condition(left, type, operation, right, operator))).toBe(result);
  });

  it('is not met when it is missing', () => {
    expect(meets({ leftValue: 1, rightValue: 1 })).toBe(false);
  });
});

describe('values of another type', () => {
  it('are refused, with the type that is expected', () => {
    expect(() => meets(condition('5', 'number', 'gt', 1))).toThrow(
      "Wrong type: '5' is a string but was expecting a number [condition 0, item 3]",
    );
    expect(() => meets(condition([], 'object', 'empty', undefined, { singleValue: true }))).toThrow(
      "Wrong type: '[]' is an array but was expecting an object [condition 0, item 3]",
    );
    expect(() => meets(condition(1, 'number', 'gt', 'x'))).toThrow(
      expect.objectContaining({ description: expect.stringContaining('make the second value a number') }),
    );
  });

  it('are converted if the rules allow it', () => {
    expect(meets(condition('5', 'number', 'gt', '1'), { loose: true })).toBe(true);
    expect(() => meets(condition('five', 'number', 'gt', 1), { loose: true })).toThrow(
      "Conversion error: the string 'five' can't be converted to a number [condition 0, item 3]",
    );
  });

  it('do not matter to the existence of a value', () => {
    expect(meets(condition(5, 'string', 'exists'))).toBe(true);
  });
});

it('ignoring case concerns every operation but patterns', () => {
  expect(meets(condition('ABC', 'string', 'contains', 'b'), { ignoreCase: true })).toBe(true);
  const contains = condition(['A'], 'array', 'contains', 'a', { rightType: 'any' });
  expect(meets(contains, { ignoreCase: true })).toBe(true);
  expect(meets(condition('ABC', 'string', 'regex', 'b'), { ignoreCase: true })).toBe(false);
});

it('an invalid pattern is an error of the item', () => {
  expect(() => meets(condition('a', 'string', 'regex', '('))).toThrow(/ \[condition 0, item 3\]$/);
});

describe('a table', () => {
  const isTrue = condition(1, 'number', 'equals', 1);
  const isFalse = condition(1, 'number', 'equals', 2);
  const isWrong = condition('1', 'number', 'equals', 1);

  it('is met when it is empty', () => {
    expect(meetsConditionTable({}, RULES)).toBe(true);
    expect(meetsConditionTable({ conditions: [], combinator: 'or' }, RULES)).toBe(true);
  });

  it('combines its conditions and evaluates no more than it needs', () => {
    expect(meetsConditionTable({ conditions: [isTrue, isFalse] }, RULES)).toBe(false);
    expect(meetsConditionTable({ conditions: [isFalse, isTrue], combinator: 'or' }, RULES)).toBe(true);
    expect(meetsConditionTable({ conditions: [isFalse, isWrong], combinator: 'and' }, RULES)).toBe(false);
    expect(() => meetsConditionTable({ conditions: [isTrue, isWrong] }, RULES)).toThrow(
      '[condition 1, item 3]',
    );
  });
});

it('the rules come from the table and from the node', () => {
  const node = { itemIndex: 0, timezone: 'utc' };
  expect(conditionRules({}, node)).toEqual({ ...node, loose: false, ignoreCase: false });
  const options = { typeValidation: 'loose', caseSensitive: false } as const;
  expect(conditionRules({ options }, node)).toMatchObject({ loose: true, ignoreCase: true });
  expect(conditionRules({}, { ...node, loose: true, ignoreCase: true })).toMatchObject({
    loose: true,
    ignoreCase: true,
  });
});
