import { expect, it } from 'vitest';
import { formatParameterCount } from './format-parameter-count.ts';

it.each([
  [134515008, '134.52M'],
  [8_030_000_000, '8.0B'],
  [7_000_000_000, '7B'],
  [22_000_000, '22M'],
  [125_400, '125K'],
  [12, '12'],
])('formatParameterCount(%d) = %s', (count, text) => {
  expect(formatParameterCount(count)).toBe(text);
});
