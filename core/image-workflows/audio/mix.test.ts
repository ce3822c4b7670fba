import { expect, test } from 'vitest';
import { audioOf, samplesOf } from '#test/support/image-workflows/audio-values.ts';
import { concatenateAudio, mixAudio, toCommonRate } from './mix.ts';

test('concatenateAudio appends, and repeats mono in all channels', () => {
  expect(samplesOf(concatenateAudio(audioOf(8, [1, 2], [3, 4]), audioOf(8, [5, 6, 7])))).toEqual([
    [1, 2, 5, 6, 7],
    [3, 4, 5, 6, 7],
  ]);
});

test.each([
  ['add', [0.5, -0.25, 0.5], [0.25], [0.75, -0.25, 0.5]],
  ['subtract', [0.5, 1], [1, 1, 1], [-0.5, 0]],
  ['multiply', [0.5, 1], [0.5, 0.5], [0.25, 0.5]],
  ['mean', [0.5, 1], [0, 0.5], [0.25, 0.75]],
] as const)('mixAudio: %s is as long as the first', (method, first, second, expected) => {
  expect(samplesOf(mixAudio(audioOf(8, [...first]), audioOf(8, [...second]), method))).toEqual([expected]);
});

test('mixAudio scales a result that would clip', () => {
  expect(samplesOf(mixAudio(audioOf(8, [1, 0.5]), audioOf(8, [1, 0]), 'add'))).toEqual([[1, 0.25]]);
});

test('mixAudio refuses different numbers of channels', () => {
  expect(() => mixAudio(audioOf(8, [1, 2], [3, 4]), audioOf(8, [1], [2], [3]), 'add')).toThrow(
    '2 channels and the other 3',
  );
});

test('toCommonRate resamples the slower input', async () => {
  const { signal } = new AbortController();
  const [slow, fast] = await toCommonRate(audioOf(8, [0, 0]), audioOf(16, [1, 1]), signal);
  expect([slow.sample_rate, slow.waveform.shape, fast.waveform.shape]).toEqual([16, [1, 1, 4], [1, 1, 2]]);
});
