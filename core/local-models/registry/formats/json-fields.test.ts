import { expect, test } from 'vitest';
import { asNumber, asObject, asText } from './json-fields.ts';

test.each<[unknown, { object?: object; text?: string; number?: number }]>([
  [{ a: 1 }, { object: { a: 1 } }],
  [[1], {}],
  [null, {}],
  [undefined, {}],
  ['', { text: '' }],
  ['7', { text: '7' }],
  [0, { number: 0 }],
  [-1.5, { number: -1.5 }],
  [Number.NaN, {}],
  [Number.POSITIVE_INFINITY, {}],
  [7n, {}],
  [true, {}],
])('the value %s', (value, { object = {}, text, number }) => {
  expect(asObject(value)).toEqual(object);
  expect([asText(value), asNumber(value)]).toEqual([text, number]);
});
