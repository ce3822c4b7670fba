import { describe, expect, it } from 'vitest';
import { audioOf, samplesOf } from '#test/support/image-workflows/audio-values.ts';
import { fileContext } from '#test/support/image-workflows/node-context.ts';
import type { Audio } from '../../audio/audio.ts';
import { nodeTypes } from '../index.ts';

const { context } = fileContext();
const run = async (name: string, values: Record<string, unknown>) =>
  (await nodeTypes.find((type) => type.name === name)!.run(values, context)) as Audio[];

describe('EmptyAudio', () => {
  it('rounds the number of samples, halves to even', async () => {
    const [audio] = await run('EmptyAudio', { duration: 0.25, sample_rate: 10, channels: 2 });
    expect(audio!.waveform.shape).toEqual([1, 2, 2]);
    expect(audio!.sample_rate).toBe(10);
  });
  it('refuses a sample rate of 0, and lengths beyond the memory', async () => {
    await expect(run('EmptyAudio', { duration: 1, sample_rate: 0, channels: 1 })).rejects.toThrow(
      '1 or more',
    );
    await expect(run('EmptyAudio', { duration: 1e12, sample_rate: 44100, channels: 2 })).rejects.toThrow(
      'GiB',
    );
  });
});

describe('TrimAudioDuration', () => {
  it.each([
    [0, 0.2, [0, 1]],
    [0.3, 60, [3, 4, 5]],
    [-0.2, 0.1, [4]],
    [-9, 0.1, [0]],
    [9, 1, [5]],
  ])('cuts from %f s for %f s', async (start_index, duration, expected) => {
    const audio = audioOf(10, [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]);
    const [part] = await run('TrimAudioDuration', { audio, start_index, duration });
    expect(samplesOf(part!)).toEqual([expected, expected]);
  });
  it('refuses a duration of 0', async () => {
    const audio = audioOf(10, [0, 1, 2]);
    await expect(run('TrimAudioDuration', { audio, start_index: 0, duration: 0 })).rejects.toThrow('0.3 s');
  });
});

it('SplitAudioChannels outputs left and right, and refuses mono', async () => {
  const channels = await run('SplitAudioChannels', { audio: audioOf(10, [1, 2], [3, 4]) });
  expect(channels.map(samplesOf)).toEqual([[[1, 2]], [[3, 4]]]);
  await expect(run('SplitAudioChannels', { audio: audioOf(10, [1]) })).rejects.toThrow('1 channel');
});

it.each([
  [
    'after',
    [
      [1, 2],
      [1, 3],
    ],
  ],
  [
    'before',
    [
      [2, 1],
      [3, 1],
    ],
  ],
])('AudioConcat puts the second input %s the first, in stereo', async (direction, expected) => {
  const [audio1, audio2] = [audioOf(10, [1]), audioOf(10, [2], [3])];
  const [joined] = await run('AudioConcat', { audio1, audio2, direction });
  expect(samplesOf(joined!)).toEqual(expected);
});

it('AudioMerge mixes at the higher sample rate', async () => {
  const [mixed] = await run('AudioMerge', {
    audio1: audioOf(5, [0, 0]),
    audio2: audioOf(10, [0.5, 0.25]),
    merge_method: 'subtract',
  });
  expect(mixed!.sample_rate).toBe(10);
  expect(samplesOf(mixed!)).toEqual([[-0.5, -0.25, 0, 0].map((value) => value + 0)]);
});

it('AudioAdjustVolume counts in decibels', async () => {
  const audio = audioOf(10, [0.5, -0.25]);
  const [louder] = await run('AudioAdjustVolume', { audio, volume: 6 });
  expect(samplesOf(louder!)[0]![0]).toBeCloseTo(0.5 * 10 ** 0.3, 6);
  expect((await run('AudioAdjustVolume', { audio, volume: 0 }))[0]).toBe(audio);
});
