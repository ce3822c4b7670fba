import { expect, test } from 'vitest';
import { AudioUnreadable } from './audio-unreadable.ts';
import { decodeAudio } from './decode.ts';
import fixtures from './fixtures.json' with { type: 'json' };

const { signal } = new AbortController();
/** Files and samples that libsndfile 1.2.2 wrote and read. */
const files = Object.entries(fixtures.files).map(([name, file]) => ({ name, ...file }));

test.each(files.filter(({ name }) => !name.includes('ALAW')))('decodes $name', async (file) => {
  const audio = await decodeAudio(Buffer.from(file.base64, 'base64'), signal);
  expect(audio.sampleRate).toBe(file.rate);
  expect(audio.channels.map(({ length }) => length)).toEqual(Array(file.channels).fill(file.samples));
  for (const [channel, plane] of audio.channels.entries()) {
    expect(file.at.map((index) => plane[index])).toEqual(file.values[channel]);
    const sum = plane.reduce((total, value) => total + Math.abs(value), 0);
    expect(sum).toBeCloseTo(file.sums[channel]!, 6);
  }
});

test.each([
  ['wav ALAW', /format 6 with 8 bits/],
  ['OggS....', /Ogg files are not read here: save it as WAV or FLAC/],
  ['ID3.....', /MP3/],
  ['\xff\xfb....', /MP3/],
  ['....ftypM4A ', /MP4/],
  ['junk', /no WAV or FLAC/],
  ['', /no WAV or FLAC/],
])('refuses %j with the reason', async (name, reason) => {
  const file = files.find((fixture) => fixture.name === name);
  const bytes = Buffer.from(file?.base64 ?? name, file ? 'base64' : 'latin1');
  await expect(decodeAudio(bytes, signal)).rejects.toThrow(reason);
  await expect(decodeAudio(bytes, signal)).rejects.toBeInstanceOf(AudioUnreadable);
});

test('allocates no memory for the length that a damaged header declares', async () => {
  const flac = Buffer.from(fixtures.files['flac 16 stereo'].base64, 'base64');
  flac.fill(0xff, 22, 26);
  await expect(decodeAudio(flac, signal)).rejects.toThrow('cut it into parts');
  const wav = Buffer.from(fixtures.files['wav PCM_16'].base64, 'base64');
  wav.writeUInt32LE(0xffffffff, wav.indexOf('data') + 4);
  expect((await decodeAudio(wav, signal)).channels.map(({ length }) => length)).toEqual([20, 20]);
});
