import { expect, test } from 'vitest';
import { decodeAudio } from '#core/audio';
import { waveParts } from './speech-file.ts';

const { signal } = new AbortController();
const join = async (parts: BlobPart[]) => new Uint8Array(await new Blob(parts).arrayBuffer());

test('is the mean of the channels, clamped, at 16 kHz', async () => {
  const bytes = await join(waveParts([Float32Array.of(1, -1, 0.5, 3), Float32Array.of(0, -1, -0.5, 3)]));
  const { sampleRate, channels } = await decodeAudio(bytes, signal);
  expect(sampleRate).toBe(16_000);
  expect(channels).toHaveLength(1);
  expect([...channels[0]!].map((value) => Math.round(value * 1000) / 1000)).toEqual([0.5, -1, 0, 1]);
});

test('may be empty', async () => {
  expect((await decodeAudio(await join(waveParts([])), signal)).channels[0]).toHaveLength(0);
});
