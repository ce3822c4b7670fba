import { expect, it } from 'vitest';
import { scheduleItem } from './schedule-item.ts';

it.each([
  ['2025-01-01T00:00:05Z', 'UTC', 'January 1st 2025, 12:00:05 am', 'UTC (UTC+00:00)'],
  ['2025-01-02T12:00:00Z', 'UTC', 'January 2nd 2025, 12:00:00 pm', 'UTC (UTC+00:00)'],
  ['2025-01-03T11:59:59Z', 'UTC', 'January 3rd 2025, 11:59:59 am', 'UTC (UTC+00:00)'],
  ['2025-01-04T13:05:00Z', 'UTC', 'January 4th 2025, 1:05:00 pm', 'UTC (UTC+00:00)'],
  ['2024-02-29T23:59:59Z', 'Asia/Kolkata', 'March 1st 2024, 5:29:59 am', 'Asia/Kolkata (UTC+05:30)'],
  ['2025-07-01T03:00:00Z', 'America/New_York', 'June 30th 2025, 11:00:00 pm', 'America/New_York (UTC-04:00)'],
])('at %s in %s is "%s"', (time, zone, readable, timezone) => {
  const { json, pairedItem } = scheduleItem(Date.parse(time), zone);
  expect(json).toMatchObject({ 'Readable date': readable, Timezone: timezone });
  expect(json['Readable date']).toBe(
    `${(json['Readable date'] as string).split(', ')[0]}, ${json['Readable time']}`,
  );
  expect(pairedItem).toEqual({ item: 0 });
});

it.each([
  [10, '10th'],
  [11, '11th'],
  [12, '12th'],
  [13, '13th'],
  [14, '14th'],
  [20, '20th'],
  [21, '21st'],
  [22, '22nd'],
  [23, '23rd'],
  [31, '31st'],
])('numbers day %i as %s', (day, ordinal) => {
  const { json } = scheduleItem(Date.UTC(2025, 0, day), 'UTC');
  expect(json['Readable date']).toContain(`January ${ordinal} 2025`);
});

it('has the parts of the time as text with two digits', () => {
  expect(scheduleItem(Date.UTC(2025, 7, 3, 4, 5, 6), 'UTC').json).toMatchObject({
    timestamp: '2025-08-03T04:05:06.000Z',
    'Day of week': 'Sunday',
    Year: '2025',
    Month: 'August',
    'Day of month': '03',
    Hour: '04',
    Minute: '05',
    Second: '06',
  });
});
