/** Dates of expressions: their zone and the current time come from the scope, offsets from the host. */
import { afterAll, expect, it } from 'vitest';
import { openSandbox } from '#test/support/webhooks/sandbox-scripts.ts';

const sandbox = openSandbox();
afterAll(() => sandbox.close());

it.each([
  ["DateTime.fromISO('2025-03-30T01:59').plus({ minutes: 1 }).toISO()", '2025-03-30T03:00:00.000+02:00'],
  ["DateTime.fromISO('2025-03-30T02:30').toISO()", '2025-03-30T03:30:00.000+02:00'],
  ["DateTime.fromISO('2025-10-26T02:30').offset", 120],
  ["DateTime.fromISO('2025-01-01', { zone: 'America/New_York' }).toUTC().hour", 5],
  ["DateTime.fromISO('2025-01-01', { zone: 'Nowhere/City' }).isValid", false],
  ["DateTime.fromISO('2025-02-30').isValid", false],
  ["DateTime.fromISO('2025-05-01').setLocale('de').toFormat('d. LLLL')", '1. Mai'],
  ["DateTime.fromISO('2025-05-01').toFormat('cccc')", 'Thursday'],
  [
    "Interval.fromDateTimes(DateTime.fromISO('2025-03-30'), DateTime.fromISO('2025-03-31')).length('hours')",
    23,
  ],
  ["Duration.fromISO('PT90M').as('hours')", 1.5],
  ["DateTime.fromISO('2025-06-15T12:00Z').hasSame($now, 'second')", true],
])('%s', async (code, value) => expect(await sandbox.evaluate(code)).toEqual(value));

it.each([
  ["'2025-06-15T10:00+05:00'", 1],
  ["DateTime.fromISO('2025-06-15T07:00')", 1],
  ["new Date('2025-06-15T05:00Z')", 1],
  [String(Date.UTC(2025, 5, 15, 5)), 1],
  ["'damaged'", null],
])('extensions accept the date %s', async (date, hours) => {
  const code = `DateTime.fromISO('2025-06-15T08:00').diffTo(${date}, 'hours')`;
  expect(await sandbox.evaluate(code)).toBe(hours);
});

it('takes zone and time anew for each batch', async () => {
  const code = '$now.toISO()';
  const other = { timezone: 'Asia/Kolkata', now: () => 0 };
  expect(await sandbox.evaluate(code)).toBe('2025-06-15T14:00:00.000+02:00');
  expect(await sandbox.evaluate(code, { scope: other })).toBe('1970-01-01T05:30:00.000+05:30');
  expect(await sandbox.evaluate('$today.toISO()', { scope: other })).toBe('1970-01-01T00:00:00.000+05:30');
  expect(await sandbox.evaluate(code)).toBe('2025-06-15T14:00:00.000+02:00');
});
