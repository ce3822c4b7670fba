import { describe, expect, it } from 'vitest';
import { pythonFloat, pythonNumber, pythonRepr, pythonStr, pythonTypeName } from './python-repr.ts';
import type { PythonValue } from './python-value.ts';

// The texts are those of Python 3's repr().
describe('pythonFloat', () => {
  it.each([
    [0, '0.0'],
    [-0, '-0.0'],
    [8, '8.0'],
    [-2.5, '-2.5'],
    [0.1, '0.1'],
    [1e15, '1000000000000000.0'],
    [1e16, '1e+16'],
    [1.5e300, '1.5e+300'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [-1.25e-7, '-1.25e-07'],
    [5e-324, '5e-324'],
    [Number.POSITIVE_INFINITY, 'inf'],
    [Number.NEGATIVE_INFINITY, '-inf'],
    [Number.NaN, 'nan'],
  ])('%d is %s', (value, text) => {
    expect(pythonFloat(value)).toBe(text);
  });
});

const values: [PythonValue, string, string, string][] = [
  [null, 'None', 'None', 'NoneType'],
  [true, 'True', 'True', 'bool'],
  [false, 'False', 'False', 'bool'],
  [5n, '5', '5', 'int'],
  [5, '5.0', '5.0', 'float'],
  ["it's", "it's", '"it\'s"', 'str'],
  ['', '', "''", 'str'],
  [[1n, 'a', [null]], "[1, 'a', [None]]", "[1, 'a', [None]]", 'list'],
  [
    new Map<string, PythonValue>([
      ['b', 1.5],
      ['a', []],
    ]),
    "{'b': 1.5, 'a': []}",
    "{'b': 1.5, 'a': []}",
    'dict',
  ],
];

it.each(values)('%o has str, repr and type', (value, str, repr, type) => {
  expect([pythonStr(value), pythonRepr(value), pythonTypeName(value)]).toEqual([str, repr, type]);
});

it('prints integers without a fraction', () => {
  expect([pythonNumber(3n), pythonNumber(3)]).toEqual(['3', '3.0']);
});
