/** `Intl` of the sandbox, compared with that of this process. */
import { afterAll, describe, expect, it } from 'vitest';
import { openSandbox } from '#test/support/webhooks/sandbox-scripts.ts';

const sandbox = openSandbox();
afterAll(() => sandbox.close());

const inThisProcess = (code: string): unknown => new Function(`return (${code})`)();
const AT = 'new Date(1750000000000)';

describe('the same as here', () => {
  it.each([
    "new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }).format(1234.5)",
    "Intl.NumberFormat('en-US').format(1e6)",
    "[1, 2].map(new Intl.NumberFormat('en-US', { minimumFractionDigits: 1 }).format)",
    "new Intl.NumberFormat('en-US').formatToParts(1.5)",
    "new Intl.NumberFormat('en-US').format(2n ** 64n)",
    "[NaN, Infinity, -Infinity].map(new Intl.NumberFormat('en-US').format)",
    `new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'full' }).format(${AT})`,
    `new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC' }).formatRange(${AT}, new Date(1760000000000))`,
    "new Intl.ListFormat('en', { type: 'disjunction' }).format(['a', 'b', 'c'])",
    "['one', 'two'].map((_, n) => new Intl.PluralRules('en', { type: 'ordinal' }).select(n + 1))",
    "new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(-1, 'day')",
    "['ä', 'z', 'a'].sort(new Intl.Collator('sv').compare)",
    "new Intl.NumberFormat('de').resolvedOptions().locale",
    "Intl.getCanonicalLocales('de-DE')",
  ])('%s', async (code) => expect(await sandbox.evaluate(code)).toEqual(inThisProcess(code)));
});

describe('methods of values are the same as here', () => {
  it.each([
    "(1234.5).toLocaleString('de-DE')",
    "(0.5).toLocaleString('en-US', { style: 'percent' })",
    "(NaN).toLocaleString('en-US')",
    "'a'.localeCompare('B', 'en')",
    "'a'.localeCompare('A', 'en', { sensitivity: 'base' })",
    ...['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'].flatMap((method) => [
      `${AT}.${method}('en-US', { timeZone: 'Asia/Tokyo' })`,
      `${AT}.${method}('en-US', { timeZone: 'UTC', hour: 'numeric' })`,
      `${AT}.${method}('en-US', { timeZone: 'UTC', month: 'long' })`,
      `${AT}.${method}('en-US', { timeZone: 'UTC', hour: undefined, month: undefined })`,
      `new Date(NaN).${method}('en-US')`,
    ]),
    `${AT}.toLocaleString('en-US', { timeZone: 'UTC', dateStyle: 'short', timeStyle: 'short' })`,
    `${AT}.toLocaleTimeString('en-US', { timeZone: 'UTC', hour12: false })`,
  ])('%s', async (code) => expect(await sandbox.evaluate(code)).toEqual(inThisProcess(code)));
});

it.each([
  "new Intl.NumberFormat('en-US', { style: 'currency' }).format(1)",
  "new Intl.NumberFormat('no such locale').format(1)",
  "new Intl.DateTimeFormat('en', { timeZone: 'Nowhere/City' }).format(0)",
  "new Intl.DateTimeFormat('en').format(new Date(NaN))",
  "new Intl.RelativeTimeFormat('en').format(1, 'parsec')",
])('reports an error of %s', async (code) => {
  expect(await sandbox.evaluate(code)).toEqual({ error: expect.stringMatching(/./) });
});

it('formats in English where no locale is named', async () => {
  expect(await sandbox.evaluate('(1234.5).toLocaleString()')).toBe('1,234.5');
});
