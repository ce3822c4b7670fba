import { expect, test } from 'vitest';
import { noise, wave } from '#test/support/image-workflows/audio-values.ts';
import { decodeSpeech } from './decode-speech.ts';
import fixtures from './fixtures.json' with { type: 'json' };
import { encodeOpus } from './opus/encode.ts';
import { resample } from './resample.ts';
import { SpeechResampler } from './speech-resampler.ts';

const { signal } = new AbortController();

test.each([
  [44100, 700_000],
  [48000, 600_000],
  [8000, 300_000],
  [16000, 300_000],
  [22050, 17],
  [96000, 0],
])('pieces at %i give what all samples give at once', async (rate, length) => {
  const random = noise();
  const [left, right] = [wave(length, random), wave(length, random)];
  const mono = left.map((value, at) => (value + right[at]!) / 2);
  const expected = await resample({ sampleRate: rate, channels: [mono] }, 16000, signal);
  const resampler = new SpeechResampler(rate, 16000);
  for (let at = 0; at < length; at += 100_003)
    await resampler.push([left.slice(at, at + 100_003), right.slice(at, at + 100_003)], signal);
  expect(await resampler.finish(signal)).toEqual(expected.channels[0]);
});

test('ends with the signal', async () => {
  const stop = new AbortController();
  const resampler = new SpeechResampler(44100, 16000);
  stop.abort(new Error('stopped'));
  await expect(resampler.push([new Float32Array(2 ** 22)], stop.signal)).rejects.toThrow('stopped');
});

test('a stereo file becomes one channel at 16 kHz', async () => {
  const file = fixtures.files['wav PCM_16'];
  const speech = await decodeSpeech(Buffer.from(file.base64, 'base64'), signal);
  expect(speech).toHaveLength(Math.ceil((file.samples * 16000) / file.rate));
});

test('Opus is decoded at 16 kHz at once', async () => {
  const tone = (rate: number, hertz: number) =>
    wave(rate, (i) => 0.5 * Math.sin((i * 2 * Math.PI * hertz) / rate));
  const planes = [tone(48000, 440), tone(48000, 440)];
  const bytes = await encodeOpus(planes, 48000, { bitrate: 64_000, texts: {} }, signal);
  const speech = await decodeSpeech(bytes, signal);
  expect(speech).toHaveLength(16000);
  const expected = tone(16000, 440);
  for (let at = 2000; at < 14000; at += 97) expect(speech[at]).toBeCloseTo(expected[at]!, 1);
});
