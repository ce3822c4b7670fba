import { expect, it } from 'vitest';
import { printJson } from './print-json.ts';

it.each([
  [{ a: '<b>&</b>', b: undefined, c: null }, '{"a":"\\u003cb\\u003e\\u0026\\u003c/b\\u003e","c":null}'],
  ['\u2028\u2029"\\\n\u0001é', '"\\u2028\\u2029\\"\\\\\\n\\u0001é"'],
  [
    [1, -0.6410474181175232, 1e21, 1e-7, 18446744073709551615n],
    '[1,-0.6410474181175232,1e+21,1e-7,18446744073709551615]',
  ],
  [[Number.NaN, true, [], {}], '[null,true,[],{}]'],
])('prints %o', (value, text) => {
  expect(printJson(value)).toBe(text);
});
