/** Values that leave the sandbox. */
import { afterAll, describe, expect, it } from 'vitest';
import { openSandbox } from '#test/support/webhooks/sandbox-scripts.ts';

const sandbox = openSandbox();
afterAll(() => sandbox.close());

const result = async (code: string, as: 'value' | 'text') => {
  const [first] = await sandbox.evaluateSource(`(function () { return (${code}) })`, { as });
  return first;
};

describe('as JSON', () => {
  it.each([
    ['0', '0'],
    ["''", '""'],
    ['null', 'null'],
    ['NaN', 'null'],
    ['2n ** 64n', '"18446744073709551616"'],
    ['[1n, undefined]', '["1",null]'],
    ['({ a: undefined, b: { c: 1n } })', '{"b":{"c":"1"}}'],
    ['new Date(0)', '"1970-01-01T00:00:00.000Z"'],
    ['DateTime.fromMillis(0)', '"1970-01-01T01:00:00.000+01:00"'],
    ['new Map([[1, 2]])', '{}'],
    ["'\\ud800\\u2028'", '"\\ud800\u2028"'],
  ])('%s is %s', async (code, json) => expect(await result(code, 'value')).toEqual({ json }));

  it.each([
    'undefined',
    'Promise.resolve(1)',
    '[Promise.resolve(1)]',
    '(() => { const a = []; a[0] = a; return a })()',
  ])('%s is nothing', async (code) => expect(await result(code, 'value')).toEqual({ nothing: true }));

  it.each(['() => 1', '({ f() {} })', "Symbol('s')", '[Math.max]'])('%s is an error', async (code) => {
    expect(await result(code, 'value')).toEqual({ error: expect.stringMatching(/could not be cloned\.$/) });
  });
});

describe('as text', () => {
  it.each([
    ['undefined', ''],
    ['null', ''],
    ['NaN', ''],
    ['0', '0'],
    ['false', 'false'],
    ['-0', '0'],
    ['10n', '10'],
    ['[1, [2, null]]', '1,2,'],
    ['({})', '[object Object]'],
    ['DateTime.fromMillis(0)', '1970-01-01T01:00:00.000+01:00'],
    ["DateTime.fromISO('damaged')", ''],
    ['Object.create(null)', ''],
  ])('%s is %j', async (code, text) => expect(await result(code, 'text')).toEqual({ text }));
});
