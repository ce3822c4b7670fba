import { createMD5 } from 'hash-wasm';
import { describe, expect, test } from 'vitest';
import { type Audio, AudioUnreadable, audioFromPlanes, audioPlanes } from './audio.ts';
import { decodeAudio } from './decode.ts';
import fixtures from './fixtures.json' with { type: 'json' };
import { encodeFlac } from './flac/encode.ts';
import { concatenateAudio, mixAudio, toCommonRate } from './mix.ts';
import { resample } from './resample.ts';

const { signal } = new AbortController();
const wave = (length: number, at: (i: number) => number) => Float32Array.from({ length }, (_, i) => at(i));
const sound = (rate: number, ...channels: number[][]): Audio =>
  audioFromPlanes(
    channels.map((values) => Float32Array.from(values)),
    channels.length,
    rate,
  );
const values = (one: Audio) => audioPlanes(one).map((plane) => [...plane]);

/** Numbers that look like noise, the same each time. */
function noise(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

/** Written and read back by libsndfile 1.2.2. */
const files = Object.entries(fixtures.files).map(([name, file]) => ({ name, ...file }));

describe('reading', () => {
  test.each(files.filter(({ name }) => !name.includes('ALAW')))('$name', async (file) => {
    const made = await decodeAudio(Buffer.from(file.base64, 'base64'), signal);
    expect(made.sample_rate).toBe(file.rate);
    expect(made.waveform.shape).toEqual([1, file.channels, file.samples]);
    for (const [channel, plane] of audioPlanes(made).entries()) {
      expect(file.at.map((place) => plane[place])).toEqual(file.values[channel]);
      const sum = plane.reduce((total, value) => total + Math.abs(value), 0);
      expect(sum).toBeCloseTo(file.sums[channel]!, 6);
    }
  });
  test.each([
    ['wav ALAW', /form 6 with 8 bits/],
    ['OggS....', /Ogg files are not read here: save it as WAV or FLAC/],
    ['ID3.....', /MP3/],
    ['\xff\xfb....', /MP3/],
    ['....ftypM4A ', /MP4/],
    ['junk', /no WAV or FLAC/],
    ['', /no WAV or FLAC/],
  ])('%j is refused with the reason', async (name, reason) => {
    const file = files.find((one) => one.name === name);
    const bytes = Buffer.from(file?.base64 ?? name, file ? 'base64' : 'latin1');
    await expect(decodeAudio(bytes, signal)).rejects.toThrow(reason);
    await expect(decodeAudio(bytes, signal)).rejects.toBeInstanceOf(AudioUnreadable);
  });
  test('damage anywhere in a FLAC file is noticed', async () => {
    const bytes = Buffer.from(fixtures.files['flac 16 stereo'].base64, 'base64');
    const frames = bytes.indexOf(Buffer.from([0xff, 0xf8]));
    for (const place of [frames + 3, frames + 20, bytes.length - 30, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[place]! ^= 0x10;
      await expect(decodeAudio(changed, signal)).rejects.toBeInstanceOf(AudioUnreadable);
    }
    for (const length of [5, 30, frames, frames + 40, bytes.length - 1])
      await expect(decodeAudio(bytes.subarray(0, length), signal)).rejects.toBeInstanceOf(AudioUnreadable);
  });
  test('a file that says it is endless asks for no memory', async () => {
    const bytes = Buffer.from(fixtures.files['flac 16 stereo'].base64, 'base64');
    bytes.fill(0xff, 22, 26);
    await expect(decodeAudio(bytes, signal)).rejects.toThrow('cut it into parts');
    const wav = Buffer.from(fixtures.files['wav PCM_16'].base64, 'base64');
    wav.writeUInt32LE(0xffffffff, wav.indexOf('data') + 4);
    expect((await decodeAudio(wav, signal)).waveform.shape).toEqual([1, 2, 20]);
  });
});

describe('FLAC that is written', () => {
  const random = noise();
  const cases: [string, Float32Array[]][] = [
    [
      'a tone in stereo',
      [wave(9000, (i) => 0.8 * Math.sin(i / 20)), wave(9000, (i) => 0.7 * Math.sin(i / 20))],
    ],
    ['noise', [wave(5000, random)]],
    ['silence', [wave(5000, () => 0), wave(5000, () => 0)]],
    ['the loudest', [wave(4097, (i) => (i % 2 ? 2 : -2)), wave(4097, (i) => (i % 3 ? -1 : 1))]],
    ['one sample', [Float32Array.of(0.5)]],
    ['no number', [Float32Array.of(Number.NaN, 0.25)]],
    ['three channels', [wave(300, random), wave(300, (i) => i / 400), wave(300, () => 0.25)]],
    ['nothing', [new Float32Array(0)]],
    // More than 127 blocks: their numbers take two bytes.
    ['many blocks', [wave(4096 * 130, (i) => (i % 100) / 200)]],
  ];
  const rounded = (plane: Float32Array) =>
    [...plane].map((value) => {
      const scaled = Math.min(32767, Math.max(-32768, value * 32768));
      const whole = Math.abs(scaled % 1) === 0.5 ? 2 * Math.round(scaled / 2) : Math.round(scaled);
      return Number.isNaN(whole) ? 0 : (whole + 0) / 32768;
    });
  test.each(cases)('%s is what was to be kept', async (_, planes) => {
    const bytes = await encodeFlac(planes, 44100, { prompt: '{"ä": 1}' }, signal);
    const made = await decodeAudio(bytes, signal);
    expect(made.sample_rate).toBe(44100);
    for (const [channel, plane] of audioPlanes(made).entries())
      expect(plane).toEqual(Float32Array.from(rounded(planes[channel]!)));
    const hash = await createMD5();
    const interleaved = new Int16Array(planes[0]!.length * planes.length);
    for (const [channel, plane] of audioPlanes(made).entries())
      plane.forEach((value, i) => {
        interleaved[i * planes.length + channel] = value * 32768;
      });
    hash.update(new Uint8Array(interleaved.buffer));
    expect(Buffer.from(bytes.subarray(26, 42)).toString('hex')).toBe(hash.digest());
    expect(Buffer.from(bytes).toString()).toContain('prompt={"ä": 1}');
  });
  test('is smaller than its samples', async () => {
    const size = async (name: string) => {
      const planes = cases.find(([one]) => one === name)![1];
      const bytes = await encodeFlac(planes, 44100, {}, signal);
      return bytes.length / (planes[0]!.length * planes.length * 2);
    };
    expect(await size('a tone in stereo')).toBeLessThan(0.3);
    expect(await size('silence')).toBeLessThan(0.01);
    expect(await size('noise')).toBeLessThan(1.02);
  });
  test('has limits, and can be stopped', async () => {
    const one = [Float32Array.of(0)];
    await expect(encodeFlac(one, 2 ** 20, {}, signal)).rejects.toThrow('sample rates from 1 to 1048575');
    await expect(encodeFlac(new Array(9).fill(one[0]), 8000, {}, signal)).rejects.toThrow('1 to 8 channels');
    const stopped = AbortSignal.abort(new Error('interrupted'));
    await expect(encodeFlac([wave(4096 * 2000, random)], 8000, {}, stopped)).rejects.toThrow('interrupted');
  });
});

describe('another rate', () => {
  test.each([
    [44100, 48000],
    [48000, 16000],
    [8000, 44100],
  ])('%i to %i keeps a tone', async (from, to) => {
    const tone = (rate: number) => (i: number) => Math.sin((2 * Math.PI * 440 * i) / rate);
    const made = await resample(audioFromPlanes([wave(from / 10, tone(from))], 1, from), to, signal);
    expect(made.waveform.shape).toEqual([1, 1, to / 10]);
    const wanted = wave(to / 10, tone(to));
    const [plane] = audioPlanes(made);
    for (let i = to / 100; i < to / 11; i++) expect(plane![i]).toBeCloseTo(wanted[i]!, 2);
  });
  /** By the same formula as one convolution a phase, in numpy. */
  test('is an interpolation of that window', async () => {
    const made = await resample(sound(2, [1, 0, 0, 0], [0.5, -0.5, 0.25, 1]), 3, signal);
    expect(values(made).map((plane) => plane.map((value) => Number(value.toFixed(4))))).toEqual([
      [0.99, 0.406, -0.1784, -0.0075, 0.0641, -0.0326],
      [0.4935, -0.1731, -0.536, 0.2484, 1.0196, 0.7167],
    ]);
  });
  test('tones that it cannot hold are gone', async () => {
    const high = audioFromPlanes([wave(4800, (i) => Math.sin((2 * Math.PI * 15000 * i) / 48000))], 1, 48000);
    const [plane] = audioPlanes(await resample(high, 16000, signal));
    expect(Math.max(...plane!.slice(100, 1500).map(Math.abs))).toBeLessThan(0.01);
  });
});

test('sounds follow one another, and lie over one another', async () => {
  const [a, b] = [sound(8, [1, 2], [3, 4]), sound(8, [5, 6, 7])];
  expect(values(concatenateAudio(a, b))).toEqual([
    [1, 2, 5, 6, 7],
    [3, 4, 5, 6, 7],
  ]);
  expect(values(mixAudio(sound(8, [0.5, -0.25, 0.5]), sound(8, [0.25]), 'add'))).toEqual([
    [0.75, -0.25, 0.5],
  ]);
  expect(values(mixAudio(sound(8, [0.5, 1]), sound(8, [1, 1, 1]), 'subtract'))).toEqual([[-0.5, 0]]);
  expect(values(mixAudio(sound(8, [0.5, 1]), sound(8, [0.5, 0.5]), 'multiply'))).toEqual([[0.25, 0.5]]);
  expect(values(mixAudio(sound(8, [0.5, 1]), sound(8, [0, 0.5]), 'mean'))).toEqual([[0.25, 0.75]]);
  // Too loud: all of it softer.
  expect(values(mixAudio(sound(8, [1, 0.5]), sound(8, [1, 0]), 'add'))).toEqual([[1, 0.25]]);
  expect(() => mixAudio(a, sound(8, [1], [2], [3]), 'add')).toThrow('2 channels and the other 3');
  const [slow, fast] = await toCommonRate(sound(8, [0, 0]), sound(16, [1, 1]), signal);
  expect([slow.sample_rate, slow.waveform.shape, fast.waveform.shape]).toEqual([16, [1, 1, 4], [1, 1, 2]]);
});
