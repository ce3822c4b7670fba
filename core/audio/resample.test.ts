import { expect, test } from 'vitest';
import { wave } from '#test/support/image-workflows/audio-values.ts';
import { resample } from './resample.ts';

const { signal } = new AbortController();

test.each([
  [44100, 48000],
  [48000, 16000],
  [8000, 44100],
])('keeps a tone from %i to %i samples per second', async (from, to) => {
  const tone = (rate: number) => (i: number) => Math.sin((2 * Math.PI * 440 * i) / rate);
  const input = { sampleRate: from, channels: [wave(from / 10, tone(from))] };
  const audio = await resample(input, to, signal);
  expect(audio.sampleRate).toBe(to);
  const expected = wave(to / 10, tone(to));
  const [plane] = audio.channels;
  expect(plane).toHaveLength(to / 10);
  for (let i = to / 100; i < to / 11; i++) expect(plane![i]).toBeCloseTo(expected[i]!, 2);
});

test('equals the formula, computed in numpy as one convolution for each phase', async () => {
  const channels = [Float32Array.of(1, 0, 0, 0), Float32Array.of(0.5, -0.5, 0.25, 1)];
  const audio = await resample({ sampleRate: 2, channels }, 3, signal);
  expect(audio.channels.map((plane) => [...plane].map((value) => Number(value.toFixed(4))))).toEqual([
    [0.99, 0.406, -0.1784, -0.0075, 0.0641, -0.0326],
    [0.4935, -0.1731, -0.536, 0.2484, 1.0196, 0.7167],
  ]);
});

test('removes tones above half of the new rate', async () => {
  const high = wave(4800, (i) => Math.sin((2 * Math.PI * 15000 * i) / 48000));
  const audio = await resample({ sampleRate: 48000, channels: [high] }, 16000, signal);
  const [plane] = audio.channels;
  expect(Math.max(...plane!.slice(100, 1500).map(Math.abs))).toBeLessThan(0.01);
});
