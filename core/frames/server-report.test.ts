import { expect, it } from 'vitest';
import { readServerReport } from './server-report.ts';

const report = {
  device: 'Apple M3',
  cores: 8,
  memory: 2 ** 33,
  battery: { level: 0.5, charging: false },
  models: ['smollm2:135m'],
  loaded: [],
};

it('reads a report', () => {
  expect(readServerReport(report)).toEqual(report);
});

it.each([
  ['no object', 'text', {}],
  ['nothing', undefined, {}],
  ['wrong types', { device: 7, cores: '8', memory: -1, battery: 1, models: 'all', loaded: {} }, {}],
  ['numbers that are none', { cores: Number.NaN, memory: Number.POSITIVE_INFINITY }, {}],
  ['an impossible battery', { battery: { level: 2, charging: true } }, {}],
  ['names that are none', { models: ['a', 7, null, 'x'.repeat(1000)] }, { models: ['a'] }],
  ['unknown fields', { token: 'secret' }, {}],
])('drops what is not valid: %s', (_what, value, valid) => {
  expect(readServerReport(value)).toEqual(valid);
});

it('limits texts and lists', () => {
  const { device, models } = readServerReport({ device: 'x'.repeat(1e6), models: Array(1e5).fill('a') });
  expect([device?.length, models?.length]).toEqual([200, 1000]);
});
