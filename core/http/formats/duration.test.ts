import { expect, it } from 'vitest';
import { parseDuration } from './duration.ts';

it.each([
  ['10m', 600_000],
  ['1h30m', 5_400_000],
  ['300ms', 300],
  ['1.5s', 1500],
  ['.5s', 500],
  ['-1m', -60_000],
  ['+2s', 2000],
  ['0', 0],
  ['0s', 0],
  ['-0', 0],
  ['1us', 0.001],
  ['1µs', 0.001],
  ['1μs', 0.001],
  ['1ns', 0.000_001],
  ['2.h', 7_200_000],
  ['2562047h', 9_223_369_200_000],
])('%s is %d ms', (text, milliseconds) => {
  expect(parseDuration(text)).toBeCloseTo(milliseconds, 9);
});

it.each([
  ['', 'time: invalid duration ""'],
  ['abc', 'time: invalid duration "abc"'],
  ['-', 'time: invalid duration "-"'],
  ['.s', 'time: invalid duration ".s"'],
  ['60', 'time: missing unit in duration "60"'],
  ['-1', 'time: missing unit in duration "-1"'],
  ['1h30', 'time: missing unit in duration "1h30"'],
  ['5x', 'time: unknown unit "x" in duration "5x"'],
  ['1 s', 'time: unknown unit " s" in duration "1 s"'],
  ['9999999h', 'time: invalid duration "9999999h"'],
  ['2562048h', 'time: invalid duration "2562048h"'],
  ['1toString', 'time: unknown unit "toString" in duration "1toString"'],
  ['--1m', 'time: invalid duration "--1m"'],
  ['\\é', 'time: invalid duration "\\\\\\xc3\\xa9"'],
  ['a"b', 'time: invalid duration "a\\"b"'],
])('%j: %s', (text, message) => {
  expect(() => parseDuration(text)).toThrow(new Error(message));
});
