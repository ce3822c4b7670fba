import { expect, it } from 'vitest';
import type { LoadedModelEntry } from '../api-client.ts';
import { deviceLabel, hasExpiredModel, haveModelsChanged } from './running-models.ts';

const gpu = { name: 'GPU' };
const cpu = { name: 'CPU, 2 threads' };

it.each([
  ['the device of the chosen model', { b: cpu, a: gpu }, 'a', [1, 2], 'a · GPU'],
  ['the device of another loaded model', { b: cpu }, 'a', [1, 2], 'b · CPU, 2 threads'],
  ['the model that loads next', {}, 'a', [1], 'a · loads on first use'],
  ['that no model can chat', {}, undefined, [1], 'No model loaded'],
  ['that no model is installed', {}, undefined, [], 'No model yet'],
  ['nothing before the models are known', {}, undefined, undefined, ''],
])('shows %s', (_, devices, next, installed, text) => {
  expect(deviceLabel(devices, next, installed)).toBe(text);
});

const running = (name: string, expires = 0) =>
  ({ name, expires_at: new Date(expires).toISOString() }) as LoadedModelEntry;

it('notices a loaded, an unloaded and a replaced model', () => {
  expect(haveModelsChanged({ a: gpu }, { a: cpu })).toBe(false);
  expect(haveModelsChanged({}, { a: gpu })).toBe(true);
  expect(haveModelsChanged({ a: gpu }, {})).toBe(true);
  expect(haveModelsChanged({ a: gpu }, { b: gpu })).toBe(true);
});

it('notices that a keep-alive time has passed', () => {
  expect(hasExpiredModel([running('a', 5), running('b', 9)], 6)).toBe(true);
  expect(hasExpiredModel([running('a', 5)], 5)).toBe(false);
});
