import { afterAll, expect, it } from 'vitest';
import { openSandbox } from '#test/support/webhooks/sandbox-scripts.ts';

const sandbox = openSandbox();
afterAll(() => sandbox.close());

const NO_OBJECT = { error: 'expected two arguments (Object, string) for this function' };

it.each([
  ["[1, 0, '', 'x', null, []].map((value) => $if(value, 'y', 'n'))", ['y', 'n', 'n', 'y', 'n', 'y']],
  ["[undefined, null, '', [], {}].map((value) => $ifEmpty(value, 'empty'))", Array(5).fill('empty')],
  [
    "[0, false, ' ', [null], { a: undefined }].map((value) => $ifEmpty(value, 'empty'))",
    [0, false, ' ', [null], {}],
  ],
  ["$ifEmpty(DateTime.fromMillis(0), 'empty').year", 1970],
  ["['', 0, 'a'].map((value) => $not(value))", [true, true, false]],
  ['[$max(1, [5, 3]), $min(4, [2], 9)]', [5, 2]],
  ['[String($max()), String($min())]', ['-Infinity', 'Infinity']],
  ['$average(1, [2, 6])', 3],
  ["$jmespath({ a: [{ b: 1 }, { b: 2 }] }, 'a[?b > `1`].b | [0]')", 2],
  ["$jmesPath([{ b: 1 }], '[].b')", [1]],
  ["$jmespath({}, 'a.b')", null],
  ["$jmespath(null, 'a')", NO_OBJECT],
  ["$jmespath('{}', 'a')", NO_OBJECT],
  ['$jmespath({}, 5)', NO_OBJECT],
  ["$jmespath({}, 'a[')", { error: 'Expected Star, got: EOF' }],
  ["$jmespath({}, 'none(a)')", { error: expect.stringContaining('none') }],
  ["$fromAI('key', 'text', 'string', 'default')", 'default'],
])('%s', async (code, value) => expect(await sandbox.evaluate(code)).toEqual(value));
