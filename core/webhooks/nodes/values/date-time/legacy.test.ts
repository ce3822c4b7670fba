import { DateTime } from 'luxon';
import { expect, it } from 'vitest';
import { openTestEngine } from '#test/support/webhooks/execution-engine.ts';
import { runFirstOutput } from '#test/support/webhooks/run-node.ts';
import { formatMoment, parseMoment } from './moment-format.ts';

const DATE = DateTime.fromISO('2025-01-05T09:08:07.045', { zone: 'Europe/Oslo' });

it.each([
  ['dddd, MMMM Do YYYY, h:mm:ss a', 'Sunday, January 5th 2025, 9:08:07 am'],
  ['ddd dd d E e', 'Sun Su 0 7 0'],
  ['YY M MM MMM Mo D DD DDD DDDD', '25 1 01 Jan 1st 5 05 5 005'],
  ['HH:mm:ss.SSS Z ZZ', '09:08:07.045 +01:00 +0100'],
  ['S SS kk Q Qo', '0 04 09 1 1st'],
  ['X x', '1736064487 1736064487045'],
  ['[at] LT A, LL', 'at 9:08 AM AM, January 5, 2025'],
  ['YYYY-[W]WW', '2025-W01'],
])('%s formats as %s', (format, text) => expect(formatMoment(DATE, format)).toBe(text));

it.each([
  ['2025-03-04 05:06', 'YYYY-MM-DD HH:mm', '2025-03-04T05:06:00.000+01:00'],
  ['March 4th 2025', 'MMMM Do YYYY', '2025-03-04T00:00:00.000+01:00'],
  ['1741082760', 'X', '2025-03-04T11:06:00.000+01:00'],
  ['04.03.2025', 'DD.MM.YYYY', '2025-03-04T00:00:00.000+01:00'],
  ['hello', 'YYYY', undefined],
])('%s is read by %s', (text, format, iso) => {
  expect(parseMoment(text, format, 'Europe/Oslo')?.toISO()).toBe(iso);
});

const run = async (parameters: object) =>
  runFirstOutput(await openTestEngine(), { type: 'dateTime', parameters: { ...parameters } }, [{ a: 1 }]);

it.each([
  [
    { value: '2025-01-15T10:20:30.000Z', toFormat: 'YYYY-MM-DD' },
    { a: 1, data: '2025-01-15' },
  ],
  [
    { value: 1700000000, toFormat: 'X', dataPropertyName: 'o.t' },
    { a: 1, o: { t: '1700000000' } },
  ],
  [
    { action: 'calculate', value: '2025-01-31T12:00:00Z', duration: 1, timeUnit: 'months' },
    { a: 1, data: '2025-02-28T12:00:00.000Z' },
  ],
  [
    {
      action: 'calculate',
      value: '2025-01-31T00:00:00Z',
      operation: 'subtract',
      duration: 2,
      timeUnit: 'hours',
    },
    { a: 1, data: '2025-01-30T22:00:00.000Z' },
  ],
])('%j makes %j', async (parameters, json) => {
  const settings = { options: { fromTimezone: 'UTC' } };
  expect(await run({ ...settings, ...parameters })).toEqual([json]);
});

it.each([
  [{ value: 'hello' }, 'The date input format could not be recognized. Please set the "From Format" field'],
  [
    { action: 'calculate', value: 'zz' },
    'Unrecognized date input. Please specify a format in the "From Format" field.',
  ],
])('%j is refused', async (parameters, error) => expect(await run(parameters)).toEqual({ error }));
