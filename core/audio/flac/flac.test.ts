import { createMD5 } from 'hash-wasm';
import { describe, expect, test } from 'vitest';
import { noise, wave } from '#test/support/image-workflows/audio-values.ts';
import { AudioUnreadable } from '../audio-unreadable.ts';
import fixtures from '../fixtures.json' with { type: 'json' };
import { BitReader } from './bit-reader.ts';
import { BitWriter } from './bit-writer.ts';
import { crc8, crc16 } from './checksums.ts';
import { decodeFlac } from './decode.ts';
import { encodeFlac } from './encode.ts';
import { chooseChannelLayout, LEFT_SIDE, MID_SIDE, SIDE_RIGHT } from './stereo.ts';

const { signal } = new AbortController();
const random = noise();
const INPUTS: Record<string, Float32Array[]> = {
  'a tone in stereo': [wave(9000, (i) => 0.8 * Math.sin(i / 20)), wave(9000, (i) => 0.7 * Math.sin(i / 20))],
  noise: [wave(5000, random)],
  silence: [wave(5000, () => 0), wave(5000, () => 0)],
  'samples beyond the limits': [wave(4097, (i) => (i % 2 ? 2 : -2)), wave(4097, (i) => (i % 3 ? -1 : 1))],
  'one sample': [Float32Array.of(0.5)],
  'a sample that is no number': [Float32Array.of(Number.NaN, 0.25)],
  'three channels': [wave(300, random), wave(300, (i) => i / 400), wave(300, () => 0.25)],
  'no samples': [new Float32Array(0)],
  // The numbers of blocks above 127 take two bytes.
  'many blocks': [wave(4096 * 130, (i) => (i % 100) / 200)],
};

/** Samples rounded to 16 bits, halves to even. */
const rounded = (plane: Float32Array) =>
  [...plane].map((value) => {
    const scaled = Math.min(32767, Math.max(-32768, value * 32768));
    const integer = Math.abs(scaled % 1) === 0.5 ? 2 * Math.round(scaled / 2) : Math.round(scaled);
    return Number.isNaN(integer) ? 0 : (integer + 0) / 32768;
  });

describe('encodeFlac', () => {
  test.each(Object.entries(INPUTS))('keeps 16 bits of %s, with digest and comments', async (_, planes) => {
    const bytes = await encodeFlac(planes, 44100, { prompt: '{"ä": 1}' }, signal);
    const audio = await decodeFlac(bytes, signal);
    expect(audio.sampleRate).toBe(44100);
    for (const [channel, plane] of audio.channels.entries())
      expect(plane).toEqual(Float32Array.from(rounded(planes[channel]!)));
    const hash = await createMD5();
    const interleaved = new Int16Array(planes[0]!.length * planes.length);
    for (const [channel, plane] of audio.channels.entries())
      plane.forEach((value, i) => {
        interleaved[i * planes.length + channel] = value * 32768;
      });
    hash.update(new Uint8Array(interleaved.buffer));
    expect(Buffer.from(bytes.subarray(26, 42)).toString('hex')).toBe(hash.digest());
    expect(Buffer.from(bytes).toString()).toContain('prompt={"ä": 1}');
  });

  test('compresses', async () => {
    const ratio = async (name: string) => {
      const planes = INPUTS[name]!;
      const bytes = await encodeFlac(planes, 44100, {}, signal);
      return bytes.length / (planes[0]!.length * planes.length * 2);
    };
    expect(await ratio('a tone in stereo')).toBeLessThan(0.3);
    expect(await ratio('silence')).toBeLessThan(0.01);
    expect(await ratio('noise')).toBeLessThan(1.02);
  });

  test('refuses what the format does not allow, and ends with the signal', async () => {
    const mono = [Float32Array.of(0)];
    await expect(encodeFlac(mono, 2 ** 20, {}, signal)).rejects.toThrow('sample rates from 1 to 1048575');
    await expect(encodeFlac(new Array(9).fill(mono[0]), 8000, {}, signal)).rejects.toThrow('1 to 8 channels');
    const aborted = AbortSignal.abort(new Error('interrupted'));
    await expect(encodeFlac([wave(4096 * 2000, random)], 8000, {}, aborted)).rejects.toThrow('interrupted');
  });
});

test('decodeFlac notices damage at any offset, and a file that is cut off', async () => {
  const bytes = Buffer.from(fixtures.files['flac 16 stereo'].base64, 'base64');
  const frames = bytes.indexOf(Buffer.from([0xff, 0xf8]));
  for (const offset of [frames + 3, frames + 20, bytes.length - 30, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[offset]! ^= 0x10;
    await expect(decodeFlac(changed, signal)).rejects.toBeInstanceOf(AudioUnreadable);
  }
  for (const length of [5, 30, frames, frames + 40, bytes.length - 1])
    await expect(decodeFlac(bytes.subarray(0, length), signal)).rejects.toBeInstanceOf(AudioUnreadable);
});

test('decodeFlac ignores tags after the last frame', async () => {
  const bytes = await encodeFlac([Float32Array.of(0.5, -0.25)], 8000, {}, signal);
  const tagged = new Uint8Array([...bytes, ...new TextEncoder().encode('TAG')]);
  expect((await decodeFlac(tagged, signal)).channels).toEqual([Float32Array.of(0.5, -0.25)]);
});

describe('chooseChannelLayout', () => {
  const alternating = (amplitude: number) => (i: number) => (i % 2 ? amplitude : -amplitude);
  const samples = (at: (i: number) => number) => Int16Array.from({ length: 64 }, (_, i) => at(i));
  const rough = samples(alternating(1000));
  const doubled = samples(alternating(2000));
  // The channels share their first half. In the second half they are opposite.
  const half = (sign: number) => samples((i) => (i < 32 ? alternating(1000)(i) : sign * alternating(10)(i)));
  test.each([
    ['independent channels', [rough, samples(() => 0)], 1],
    ['left and side when the right channel is louder', [rough, doubled], LEFT_SIDE],
    ['side and right when the left channel is louder', [doubled, rough], SIDE_RIGHT],
    ['middle and side', [half(1), half(-1)], MID_SIDE],
  ])('chooses %s', (_, block, assignment) => {
    expect(chooseChannelLayout(block, 16).assignment).toBe(assignment);
  });
  test('gives the difference one bit more', () => {
    expect(chooseChannelLayout([rough, doubled], 16).channels.map(({ bits }) => bits)).toEqual([16, 17]);
  });
  test('a mono block has one channel', () => {
    expect(chooseChannelLayout([rough], 16)).toMatchObject({ assignment: 0, channels: [{ bits: 16 }] });
  });
});

test('bits are read as they were written', () => {
  const writer = new BitWriter();
  writer.write(5, 3);
  writer.write(-2, 7);
  writer.writeUnary(30);
  writer.write(0xabcdef, 24);
  writer.align();
  const reader = new BitReader(writer.bytes, 0);
  expect([reader.read(3), reader.readSigned(7), reader.readUnary(), reader.read(24)]).toEqual([
    5, -2, 30, 0xabcdef,
  ]);
  reader.align();
  expect(reader.position).toBe(writer.bytes.length);
  expect(() => reader.read(1)).toThrow(AudioUnreadable);
});

test('checksums equal the published ones of "123456789"', () => {
  const bytes = new TextEncoder().encode('.123456789.');
  // CRC-8/SMBUS and CRC-16/UMTS of the catalogue of parametrized CRC algorithms.
  expect(crc8(bytes, 1, 10)).toBe(0xf4);
  expect(crc16(bytes, 1, 10)).toBe(0xfee8);
});
