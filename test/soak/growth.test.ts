import { expect, test } from 'vitest';
import { growthOf } from './growth.ts';

test('growth beyond its allowance fails, and is stated for an hour', () => {
  const before = { sockets: 3, memory: 100 };
  const after = { sockets: 4, memory: 130, files: 2 };
  expect(growthOf(before, after, { memory: 40, files: 2 }, 30)).toEqual([
    { name: 'sockets', before: 3, after: 4, perHour: 2, allowed: 0, pass: false },
    { name: 'memory', before: 100, after: 130, perHour: 60, allowed: 40, pass: true },
    { name: 'files', before: 0, after: 2, perHour: 4, allowed: 2, pass: true },
  ]);
});

test('what shrinks passes', () => {
  expect(growthOf({ sockets: 9 }, { sockets: 1 }, {}, 60)[0]).toMatchObject({ perHour: -8, pass: true });
});
