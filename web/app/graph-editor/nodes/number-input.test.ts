import { expect, it } from 'vitest';
import type { Widget } from './node-kind.ts';
import { readNumber, stepNumber } from './number-input.ts';

const seed = { kind: 'integer', initial: 0, min: 0, max: 18446744073709551615n, step: 1 } as const;
const width = { kind: 'integer', initial: 512, min: 16, max: 16384, step: 8 } as const;
const cfg = { kind: 'number', initial: 8, min: 0, max: 100, step: 0.1 } as const;

type NumberWidget = Extract<Widget, { kind: 'integer' | 'number' }>;

it.each<[string, NumberWidget, number | bigint | undefined]>([
  ['18446744073709551615', seed, 18446744073709551615n],
  ['99999999999999999999', seed, 18446744073709551615n],
  ['-1', seed, 0],
  ['12.6', width, 16],
  ['20.6', width, 21],
  ['1e3', width, 1000],
  ['7,5', cfg, 7.5],
  ['101', cfg, 100],
  ['', cfg, undefined],
  ['many', seed, undefined],
])('parses %s within the bounds', (text, widget, expected) =>
  expect(readNumber(widget, text)).toBe(expected),
);

it('steps without losing digits', () => {
  expect(stepNumber(seed, 18446744073709551614n, 1)).toBe(18446744073709551615n);
  expect(stepNumber(seed, 18446744073709551615n, 1)).toBe(18446744073709551615n);
  expect(stepNumber(seed, 9007199254740991, 1)).toBe(9007199254740992n);
  expect(stepNumber(width, 16, -1)).toBe(16);
  expect(stepNumber(width, 512, 10)).toBe(592);
  expect(stepNumber(cfg, 0.2, 1)).toBe(0.3);
});
