import { expect, it } from 'vitest';
import type { RunningModel } from '../api-client.ts';
import { deviceLabel, hasExpiredModel, haveModelsChanged } from './running-models.ts';

const gpu = { name: 'GPU' };
const cpu = { name: 'CPU, 2 threads' };

it.each([
  ['the device of the model that answers next', { b: cpu, a: gpu }, 'a', [1, 2], 'GPU'],
  ['that of another one where only that is loaded', { b: cpu }, 'a', [1, 2], 'CPU, 2 threads'],
  ['which model will be loaded', {}, 'a', [1], 'a · loads on first use'],
  ['that there is none to chat with', {}, undefined, [1], 'No model loaded'],
  ['that there is none at all', {}, undefined, [], 'No model yet'],
  ['nothing before it is known', {}, undefined, undefined, ''],
])('tells %s', (_, devices, next, installed, text) => {
  expect(deviceLabel(devices, next, installed)).toBe(text);
});

const running = (name: string, expires = 0) =>
  ({ name, expires_at: new Date(expires).toISOString() }) as RunningModel;

it('sees that a model came, went, or was changed for another', () => {
  expect(haveModelsChanged({ a: gpu }, { a: cpu })).toBe(false);
  expect(haveModelsChanged({}, { a: gpu })).toBe(true);
  expect(haveModelsChanged({ a: gpu }, {})).toBe(true);
  expect(haveModelsChanged({ a: gpu }, { b: gpu })).toBe(true);
});

it('sees that one should have left', () => {
  expect(hasExpiredModel([running('a', 5), running('b', 9)], 6)).toBe(true);
  expect(hasExpiredModel([running('a', 5)], 5)).toBe(false);
});
