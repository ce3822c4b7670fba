/** The globals of expressions: those that are removed, and those that nobody can change. */
import { afterAll, describe, expect, it } from 'vitest';
import { openSandbox } from '#test/support/webhooks/sandbox-scripts.ts';

const sandbox = openSandbox();
afterAll(() => sandbox.close());

const value = async (body: string): Promise<unknown> => {
  const [result] = await sandbox.evaluateSource(`(function () { ${body} })`);
  return 'json' in result! ? JSON.parse(result.json) : result;
};

it.each([
  'eval',
  'Function',
  'globalThis',
  '__host',
  '__bridge',
  'queueMicrotask',
  'performance',
  'navigator',
])('expressions have no %s', async (name) => expect(await value(`return typeof ${name}`)).toBe('undefined'));

describe('frozen', () => {
  it.each([
    'Object.prototype',
    'Array',
    'Array.prototype.map',
    'Object.getPrototypeOf(async () => {})',
    'Object.getPrototypeOf(function* () {})',
    'Object.getPrototypeOf(async function* () {})',
    'Object.getPrototypeOf([][Symbol.iterator]())',
    "Object.getPrototypeOf(/x/[Symbol.matchAll](''))",
    'Object.getPrototypeOf(new Map().entries())',
    'Intl',
    'Intl.NumberFormat',
    'DateTime.prototype',
    'Duration.prototype',
    'Interval.prototype',
    '$jmespath',
  ])('%s', async (code) => expect(await value(`return Object.isFrozen(${code})`)).toBe(true));
});

it.each([
  ["Array.prototype.map = () => 'changed'", 'return [1].map(String)', ['1']],
  ["Object.prototype.extra = 'changed'", 'return [({}).extra ?? 0]', [0]],
  ["leaked = 'changed'", 'return [typeof leaked]', ['undefined']],
  ["$json = 'changed'", 'return [$json.m]', [70]],
  ["DateTime.now = () => 'changed'", 'return [$now.year]', [2025]],
])('`%s` does not change the next expression', async (change, body, expected) => {
  await value(`'use strict'; ${change}`);
  await value(change);
  expect(await value(body)).toEqual(expected);
});

it('lets libraries name their errors', async () => {
  const body =
    "'use strict'; const error = new Error('a'); error.name = 'Mine'; return [error.name, String(error)]";
  expect(await value(body)).toEqual(['Mine', 'Mine: a']);
  expect(await value("'use strict'; Error.prototype.name = 'Mine'")).toHaveProperty('nothing');
  expect(await value('return [new Error().name, new RangeError().name]')).toEqual(['Error', 'RangeError']);
});

it('names the zone in the text of a date, as browsers do', async () => {
  expect(await value('return String(new Date(0))')).toBe(
    'Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)',
  );
  expect(await value('return String(new Date(NaN))')).toBe('Invalid Date');
});
