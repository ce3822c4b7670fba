import { expect, test } from 'vitest';
import { decodePercent } from './decode-percent.ts';
import { errorMessage } from './error-message.ts';
import { isObject } from './is-object.ts';
import { pythonString } from './python-string.ts';
import { toHex } from './to-hex.ts';

test.each([
  ['a%20b%2Fc', 'a b/c'],
  ['%C3%A9', 'é'],
  ['100%', '100%'],
  ['%C3', '%C3'],
  ['a+b', 'a+b'],
])('decodePercent(%j) is %j', (text, decoded) => expect(decodePercent(text)).toBe(decoded));

test.each([
  [new Error('boom'), 'boom'],
  [new TypeError(''), ''],
  ['text', 'text'],
  [undefined, 'undefined'],
  [{ message: 'no error' }, '[object Object]'],
])('errorMessage(%o) is %j', (thrown, message) => expect(errorMessage(thrown)).toBe(message));

test.each([
  [{}, true],
  [Object.create(null), true],
  [null, false],
  [[], false],
  ['text', false],
  [undefined, false],
])('isObject(%o) is %s', (value, verdict) => expect(isObject(value)).toBe(verdict));

test.each([
  ['plain', "'plain'"],
  ["it's", `"it's"`],
  ['say "x"', `'say "x"'`],
  [`it's "x"`, `'it\\'s "x"'`],
  ['a\\b\n\r\t', "'a\\\\b\\n\\r\\t'"],
  ['', "''"],
])('pythonString(%j) is %s', (text, printed) => expect(pythonString(text)).toBe(printed));

test.each([
  [[], ''],
  [[0, 9, 10, 255], '00090aff'],
])('toHex(%j) is %j', (bytes, digits) => expect(toHex(Uint8Array.from(bytes))).toBe(digits));
