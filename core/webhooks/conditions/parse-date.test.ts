import { describe, expect, it } from 'vitest';
import { parseDate, parseDateMillis } from './parse-date.ts';

const BERLIN = 'Europe/Berlin';

describe('parseDate', () => {
  it.each([
    ['2024-03-05T10:20:30Z', '2024-03-05T10:20:30.000Z'],
    ['2024-03-05', '2024-03-05T00:00:00.000+01:00'],
    ['2024-03-05T10:20:30+05:00', '2024-03-05T10:20:30.000+05:00'],
    ['Tue, 05 Mar 2024 10:20:30 GMT', '2024-03-05T10:20:30.000Z'],
    ['2024-03-05 10:20:30', '2024-03-05T10:20:30.000+01:00'],
    ['2024/03/05', '2024-03-05T00:00:00.000+01:00'],
    ['  2024-03-05  ', '2024-03-05T00:00:00.000+01:00'],
  ])('reads the text %s', (text, iso) => {
    expect(parseDate(text, BERLIN)!.toISO()).toBe(iso);
  });

  it('reads formats that only the platform knows', () => {
    const date = parseDate('Mar 5, 2024 10:20', 'utc');
    expect(date!.toMillis()).toBe(Date.parse('Mar 5, 2024 10:20'));
  });

  it('shows numbers and JavaScript dates in the zone', () => {
    expect(parseDate(0, BERLIN)!.toISO()).toBe('1970-01-01T01:00:00.000+01:00');
    expect(parseDate(new Date(0), BERLIN)!.toISO()).toBe('1970-01-01T01:00:00.000+01:00');
  });

  it.each(['tomorrow', '', '2024-13-40', true, null, undefined, {}, []])('refuses %j', (value) => {
    expect(parseDate(value, BERLIN)?.isValid ?? false).toBe(false);
  });
});

it('parseDateMillis is undefined for anything but a date', () => {
  expect(parseDateMillis('1970-01-01T00:00:01Z', BERLIN)).toBe(1000);
  expect(parseDateMillis('2024-13-40', BERLIN)).toBeUndefined();
  expect(parseDateMillis(new Date(Number.NaN), BERLIN)).toBeUndefined();
});
