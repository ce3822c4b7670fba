/** How the sandbox reports the values and the failures of a batch of expressions. */
import { afterAll, expect, it } from 'vitest';
import { openSandbox } from '#test/support/webhooks/sandbox-scripts.ts';

const sandbox = openSandbox();
afterAll(() => sandbox.close());

const source = (body: string) => `(function () { ${body} })`;

it('returns a result for each item, also after an item that fails', async () => {
  const body = "if ($json.m === 70) throw new Error('seventy'); return $json.m";
  expect(await sandbox.evaluateSource(source(body), { items: [0, 1, 0] })).toEqual([
    { error: 'seventy' },
    { json: '80' },
    { error: 'seventy' },
  ]);
  expect(await sandbox.evaluateSource(source(body), { items: [] })).toEqual([]);
});

it.each([
  ['return $json.none.field', { nothing: true }, { text: '' }],
  ['return undefined', { nothing: true }, { text: '' }],
  ['return $json.m', { json: '70' }, { text: '70' }],
  ["throw new Error('bad')", { error: 'bad' }, { error: 'bad' }],
  ['throw new RangeError()', { error: '' }, { error: '' }],
  ["throw 'a text'", { error: 'a text' }, { error: 'a text' }],
  ['return nothingOfThisName', { error: 'nothingOfThisName is not defined' }, expect.anything()],
  [
    'return $json.none.__ext_first()',
    { error: "first can't be used on undefined value" },
    { error: "first can't be used on undefined value" },
  ],
  [
    'return null.__ext_toInt()',
    { error: "toInt can't be used on null value" },
    { error: "toInt can't be used on null value" },
  ],
])('of `%s` results in %j as a value, %j as text', async (body, value, text) => {
  expect(await sandbox.evaluateSource(source(body))).toEqual([value]);
  expect(await sandbox.evaluateSource(source(body), { as: 'text' })).toEqual([text]);
});

it('reports the description of an error, where it has one', async () => {
  const [result] = await sandbox.evaluateSource(source("return $('Unused').first()"));
  expect(result).toMatchObject({ description: expect.stringContaining("hasn't been executed yet") });
});

it.each(['(function () { return 1', 'return 1', ''])('survives the damaged program `%s`', async (text) => {
  const [result] = await sandbox.evaluateSource(text);
  expect(result).not.toHaveProperty('json');
  expect(await sandbox.evaluate('1 + 1')).toBe(2);
});

it('computes again after a program that ran out of time or memory', async () => {
  const fill = 'const all = []; for (;;) all.push(new Array(1e5).fill(0))';
  await expect(sandbox.evaluateSource(source(fill))).rejects.toThrow('The expression could not be evaluated');
  expect(await sandbox.evaluate('1 + 1')).toBe(2);
});
