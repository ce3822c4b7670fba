import { afterEach, describe, expect, it, vi } from 'vitest';
import { formatLocalTime, formatUtcTime } from './timestamp.ts';

const instant = Date.UTC(2026, 10, 21, 5, 29, 56, 64);

it.each([
  [instant + 0.654, '2026-11-21T05:29:56.064654Z'],
  [instant, '2026-11-21T05:29:56.064Z'],
  [Date.UTC(2026, 0, 1), '2026-01-01T00:00:00.000001Z'],
  [Date.UTC(2026, 0, 1) + 999.9995, '2026-01-01T00:00:00.999999Z'],
  [-0.5, '1969-12-31T23:59:59.9995Z'],
])('%d is %s', (milliseconds, text) => {
  expect(formatUtcTime(milliseconds)).toBe(text);
});

it('prints this machine\'s zone, and "never" as 292 years from now', () => {
  const text = formatLocalTime(instant + 0.5, instant);
  expect(text).toMatch(/\.0645(Z|[+-]\d\d:\d\d)$/);
  expect(Date.parse(text)).toBe(instant);
  expect(formatLocalTime(Number.POSITIVE_INFINITY, instant)).toMatch(/^2319-03-0[34]T/);
});

describe('the offset of the local time zone', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  // Minutes, as `getTimezoneOffset` counts them: west of Greenwich is positive.
  it.each([
    ['UTC', 0, '2026-11-21T05:29:56.064Z'],
    ['Asia/Kolkata', -330, '2026-11-21T10:59:56.064+05:30'],
    ['America/New_York', 300, '2026-11-21T00:29:56.064-05:00'],
    ['America/St_Johns', 210, '2026-11-21T01:59:56.064-03:30'],
  ])('%s, %i minutes: %s', (_zone, offset, text) => {
    vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(offset);
    expect(formatLocalTime(instant, 0)).toBe(text);
  });
});
