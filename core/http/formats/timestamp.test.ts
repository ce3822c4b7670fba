import { expect, it } from 'vitest';
import { formatLocalTime, formatUtcTime } from './timestamp.ts';

const instant = Date.UTC(2026, 10, 21, 5, 29, 56, 64);

it.each([
  [instant + 0.654, '2026-11-21T05:29:56.064654Z'],
  [instant, '2026-11-21T05:29:56.064Z'],
  [Date.UTC(2026, 0, 1), '2026-01-01T00:00:00.000001Z'],
])('%d is %s', (milliseconds, text) => {
  expect(formatUtcTime(milliseconds)).toBe(text);
});

it('prints the zone of this machine, and never as 292 years from now', () => {
  const text = formatLocalTime(instant + 0.5, instant);
  expect(text).toMatch(/\.0645(Z|[+-]\d\d:\d\d)$/);
  expect(Date.parse(text)).toBe(instant);
  expect(formatLocalTime(Number.POSITIVE_INFINITY, instant)).toMatch(/^2319-03-0[34]T/);
});
