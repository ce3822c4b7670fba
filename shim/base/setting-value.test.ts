import { expect, test } from 'vitest';
import { settingValue } from './setting-value.ts';

test.each<[string | undefined, string | undefined]>([
  [undefined, undefined],
  ['', undefined],
  ['  \t\n', undefined],
  ['""', undefined],
  ["' '", undefined],
  ['0', '0'],
  ['false', 'false'],
  [' value ', 'value'],
  ['" a b "', 'a b'],
  ['a "b" c', 'a "b" c'],
])('the variable %j has the value %j', (text, value) => {
  expect(settingValue(text)).toBe(value);
});
