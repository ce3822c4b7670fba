import { expect, test } from 'vitest';
import { formatAge, formatBytes, formatList, formatSeconds, formatTable, formatUntil } from './format.ts';

test.each([
  [0, '0 B'],
  [1, '1 B'],
  [9.4, '9 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [9949, '9.9 kB'],
  [9950, '10 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [98_362_432, '98 MB'],
  [1_400_000_000, '1.4 GB'],
  [5e12, '5.0 TB'],
  [5e15, '5000 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  [0, '1 s'],
  [59.4, '59 s'],
  [59.5, '1 min'],
  [89, '1 min'],
  [90, '2 min'],
  [59.4 * 60, '59 min'],
  [59.5 * 60, '1 h 0 min'],
  [125 * 60, '2 h 5 min'],
  [49 * 3600, '49 h 0 min'],
])('%d seconds are %s', (seconds, text) => {
  expect(formatSeconds(seconds)).toBe(text);
});

const NOW = Date.UTC(2026, 0, 2);
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const CENTURY = 100 * 365 * DAY;

test.each([
  [-5, '0 seconds ago'],
  [0, '0 seconds ago'],
  [1.9, '1 second ago'],
  [59.9, '59 seconds ago'],
  [MINUTE, '1 minute ago'],
  [HOUR - 1, '59 minutes ago'],
  [HOUR, '1 hour ago'],
  [DAY - 1, '23 hours ago'],
  [DAY, '1 day ago'],
  [14 * DAY - 1, '13 days ago'],
  [14 * DAY, '2 weeks ago'],
  [400 * DAY, '57 weeks ago'],
])('a date %d seconds before now was %s', (seconds, text) => {
  expect(formatAge(new Date(NOW - seconds * 1000), NOW)).toBe(text);
});

test.each([
  [-0.001, 'stopping...'],
  [0, '0 seconds from now'],
  [4 * MINUTE, '4 minutes from now'],
  [CENTURY - 1, '5214 weeks from now'],
  [CENTURY, 'forever'],
  [Number.NaN, 'forever'],
])('a date in %d seconds is %s', (seconds, text) => {
  expect(formatUntil(new Date(NOW + seconds * 1000), NOW)).toBe(text);
});

test.each<[string, string[][], string]>([
  ['no rows', [], ''],
  ['an empty row', [[]], '\n'],
  [
    'columns of one width',
    [
      ['NAME', 'SIZE'],
      ['a', '1'],
      ['abcdef', '12'],
    ],
    'NAME    SIZE\na       1\nabcdef  12\n',
  ],
  ['shorter rows', [['a'], ['bb', 'c'], []], 'a\nbb  c\n\n'],
  [
    'empty cells, without spaces at the end of a line',
    [
      ['a', '', ''],
      ['', 'b', ''],
    ],
    'a\n   b\n',
  ],
])('a table of %s', (_, rows, text) => {
  expect(formatTable(rows)).toBe(text);
});

test('a list is indented, except for its empty lines', () => {
  expect(formatList([['a', 'x'], [], ['bb', 'y']])).toBe('  a   x\n\n  bb  y\n');
  expect(formatList([])).toBe('');
});
