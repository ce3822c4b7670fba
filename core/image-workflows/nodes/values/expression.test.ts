import { expect, it } from 'vitest';
import { evaluateExpression } from './expression.ts';

// The expected values are those of Python 3 for the same texts.
it.each([
  ['a + b', 7],
  ['a - b * 2', -5],
  ['(a + b) / 2', 3.5],
  ['a // 2', 1],
  ['-a // 2', -2],
  ['-a % 5', 2],
  ['a % -5', -2],
  ['-a ** 2', -9],
  ['2 ** 3 ** 2', 512],
  ['2 ** -1', 0.5],
  ['a & ~1', 2],
  ['29 & -8', 24],
  ['1 << 4 | 1', 17],
  ['5 ^ 1', 4],
  ['a if a > b else b', 4],
  ['a < b <= 4', true],
  ['not a == 3 or b == 4', true],
  ['a and 0', 0],
  ['True + 1', 2],
  ['round(2.5) + round(3.5)', 6],
  ['round(3.14159, 2)', 3.14],
  ['sum(values) + sum(a, b)', 14],
  ['min(values)', 3],
  ['max(5, a)', 5],
  ['int(-2.7) + floor(-2.1) + ceil(2.1)', -2],
  ['pow(2, 10)', 1024],
  ['log2(8) + log10(100) + log(8, 2)', 8],
  ['sqrt(16) + abs(-1) + float(2)', 7],
  ['sin(0) + cos(0) + tan(0)', 1],
  ['1e3 + .5', 1000.5],
  ['ceil(1.5 * log2(max(a, b))) + 2', 5],
  ['max(5, round(5 * 24)) + (5 - (max(5, round(5 * 24)) % 17)) % 17', 124],
])('%s', (text, value) => {
  expect(evaluateExpression(text, { a: 3, b: 4, values: [3, 4] })).toBeCloseTo(Number(value), 12);
  expect(typeof evaluateExpression(text, { a: 3, b: 4, values: [3, 4] })).toBe(typeof value);
});

it.each([
  ['', 'Expression cannot be empty.'],
  ['  ', 'Expression cannot be empty.'],
  ['a /', 'not complete'],
  ['a b', "'b' cannot stand there"],
  ['(a', 'not complete'],
  ['a + "x"', 'cannot read'],
  ['str(a)', "function 'str' is not defined"],
  ['constructor(a)', "function 'constructor' is not defined"],
  ['toString', "'toString' is not defined"],
  ['a toString b', "'toString' cannot stand there"],
  ['q', 'link the input q'],
  ['a / 0', 'division by zero'],
  ['a % 0', 'division by zero'],
  ['sqrt(-1)', 'math domain error'],
  ['(-1) ** 0.5', 'math domain error'],
  ['log(0)', 'math domain error'],
  ['1e308 * 10', 'non-finite result'],
  ['pow(10, 10000000)', 'Exponent 10000000 exceeds maximum'],
  ['values', 'the expression is a list'],
  ['values + 1', 'a list can only be used'],
  ['pow(a)', 'pow does not take 1 value'],
  ['1.5 & 1', 'whole numbers'],
  [`${'('.repeat(200)}a${')'.repeat(200)}`, 'too many brackets'],
])('%s is refused', (text, message) => {
  expect(() => evaluateExpression(text, { a: 3, values: [3] })).toThrow(message);
});
