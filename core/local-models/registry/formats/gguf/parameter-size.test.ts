import { expect, it } from 'vitest';
import { parameterSize } from './parameter-size.ts';

it.each([
  [134515008, '134.52M'],
  [8_030_000_000, '8.0B'],
  [7_000_000_000, '7B'],
  [22_000_000, '22M'],
  [125_400, '125K'],
  [12, '12'],
])('parameterSize(%d) = %s', (count, text) => {
  expect(parameterSize(count)).toBe(text);
});
