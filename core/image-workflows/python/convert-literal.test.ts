import { describe, expect, it } from 'vitest';
import { ConversionError, convertLiteral } from './convert-literal.ts';
import type { PythonValue } from './python-value.ts';

// Results and messages are those of Python 3.
describe.each([
  [
    'INT',
    [
      [3n, 3n],
      [3.9, 3n],
      [-3.9, -3n],
      [true, 1n],
      [false, 0n],
      [' 8 ', 8n],
      ['+1_000', 1000n],
      ['-5', -5n],
      ['9223372036854775808', 9_223_372_036_854_775_808n],
    ],
    [
      ['8.5', "invalid literal for int() with base 10: '8.5'"],
      ['1__0', "invalid literal for int() with base 10: '1__0'"],
      ['', "invalid literal for int() with base 10: ''"],
      [Number.POSITIVE_INFINITY, 'cannot convert float infinity to integer'],
      [null, "int() argument must be a string, a bytes-like object or a real number, not 'NoneType'"],
      [[1n], "int() argument must be a string, a bytes-like object or a real number, not 'list'"],
      [new Map(), "int() argument must be a string, a bytes-like object or a real number, not 'dict'"],
    ],
  ],
  [
    'FLOAT',
    [
      [2n, 2],
      [2.5, 2.5],
      [true, 1],
      [false, 0],
      [' 1.5 ', 1.5],
      ['1_0.2_5', 10.25],
      ['.5', 0.5],
      ['5.', 5],
      ['-1E-2', -0.01],
      ['inf', Number.POSITIVE_INFINITY],
      ['-Infinity', Number.NEGATIVE_INFINITY],
      ['NaN', Number.NaN],
    ],
    [
      ['abc', "could not convert string to float: 'abc'"],
      ['1e', "could not convert string to float: '1e'"],
      [10n ** 400n, 'int too large to convert to float'],
      [null, "float() argument must be a string or a real number, not 'NoneType'"],
      [[], "float() argument must be a string or a real number, not 'list'"],
    ],
  ],
  [
    'STRING',
    [
      ['x', 'x'],
      [true, 'True'],
      [2, '2.0'],
      [null, 'None'],
    ],
    [],
  ],
  [
    'BOOLEAN',
    [
      ['false', true],
      ['', false],
      [0n, false],
      [2n, true],
      [0, false],
      [0.5, true],
      [null, false],
      [[], false],
      [[0n], true],
      [new Map(), false],
      [new Map([['a', null]]), true],
    ],
    [],
  ],
  [
    'IMAGE',
    [
      ['8', '8'],
      [null, null],
    ],
    [],
  ],
] as [string, [PythonValue, PythonValue][], [PythonValue, string][]][])('%s', (type, converted, refused) => {
  it.each(converted)('takes %o as %o', (value, result) => {
    expect(convertLiteral(type, value)).toEqual(result);
  });

  if (refused.length > 0)
    it.each(refused)('refuses %o', (value, message) => {
      expect(() => convertLiteral(type, value)).toThrow(new ConversionError(message));
    });
});
