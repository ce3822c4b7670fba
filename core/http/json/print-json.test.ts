import { expect, it } from 'vitest';
import { omitIfEmpty, printJson } from './print-json.ts';

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

it.each([
  [undefined, 'null'],
  [() => 1, 'null'],
  [Number.POSITIVE_INFINITY, 'null'],
  [[undefined], '[null]'],
  [{ b: 1, a: { c: [true, null] } }, '{"b":1,"a":{"c":[true,null]}}'],
  [-0, '0'],
])('prints %o as %s', (value, text) => expect(printJson(value)).toBe(text));

it.each([0, '', false, null, []])('%j is left out', (value) => expect(omitIfEmpty(value)).toBeUndefined());

it.each([1, 'a', true, [0], {}])('%j is printed', (value) => expect(omitIfEmpty(value)).toBe(value));
