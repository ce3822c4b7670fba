import { describe, expect, it } from 'vitest';
import { nodeCodecs } from '#shim/host/image-codecs.ts';
import { patternPixels } from '#test/support/image-codecs/pattern-pixels.ts';
import { read24, readRiff, writeRiff, writeWebp } from './container.ts';
import { decodeWebp } from './decode.ts';
import { encodeAnimatedWebp, encodeWebp } from './encode.ts';

const lossless = { quality: 80, lossless: true };
const chunksOf = (file: Uint8Array) => [...readRiff(file, 12, file.length)];

describe('encodeWebp', () => {
  it.each([3, 4] as const)('keeps %i channels without loss', async (channels) => {
    const pixels = patternPixels(16, 8, channels);
    if (channels === 4) for (let at = 3; at < pixels.data.length; at += 4) pixels.data[at] = 128 + (at % 100);
    const file = await encodeWebp(pixels, lossless, nodeCodecs);
    expect((await decodeWebp(file, nodeCodecs)).frames).toEqual([pixels]);
  });

  it('writes smaller files at lower quality, and clamps it', async () => {
    const pixels = patternPixels(64, 64, 3);
    const size = async (quality: number) => (await encodeWebp(pixels, { quality }, nodeCodecs)).length;
    expect(await size(5)).toBeLessThan(await size(95));
    expect(await size(500)).toBe(await size(100));
    expect(await size(-5)).toBe(await size(0));
  });

  it('refuses sides that the format cannot hold', async () => {
    const wide = { width: 16_384, height: 1, channels: 3, data: new Uint8Array(16_384 * 3) } as const;
    await expect(encodeWebp(wide, lossless, nodeCodecs)).rejects.toThrow(
      'at most 16383 pixels a side, not 16384 x 1',
    );
  });

  it('needs a codec', async () => {
    await expect(encodeWebp(patternPixels(4, 4, 3), lossless, undefined)).rejects.toThrow(
      'no codec for WEBP images',
    );
  });
});

describe('encodeAnimatedWebp', () => {
  const frames = [patternPixels(6, 4, 3), patternPixels(6, 4, 3, 50)];

  it('keeps the frames, with texts in EXIF data', async () => {
    const exif = new Map([
      [0x0110, 'prompt:{}'],
      [0x010f, 'workflow:{"a": 1}'],
    ]);
    const counts: number[] = [];
    const onFrame = async (count: number) => void counts.push(count);
    const file = await encodeAnimatedWebp(
      frames,
      { ...lossless, milliseconds: 166, exif },
      nodeCodecs,
      onFrame,
    );
    expect((await decodeWebp(file, nodeCodecs)).frames).toEqual(frames);
    expect(counts).toEqual([1, 2]);
    const text = Buffer.from(file).toString('latin1');
    expect(text).toContain('prompt:{}\0');
    expect(text.indexOf('workflow:{"a": 1}\0')).toBeLessThan(text.indexOf('prompt:{}'));
  });

  it('writes size, duration and the method that replaces the frame before', async () => {
    const chunks = chunksOf(
      await encodeAnimatedWebp(frames, { ...lossless, milliseconds: 166.4 }, nodeCodecs),
    );
    expect(chunks.map(({ type }) => type)).toEqual(['VP8X', 'ANIM', 'ANMF', 'ANMF']);
    const [header, , frame] = chunks.map(({ data }) => data);
    expect([header![0], read24(header!, 4), read24(header!, 7)]).toEqual([2, 5, 3]);
    expect([read24(frame!, 6), read24(frame!, 9), read24(frame!, 12), frame![15]]).toEqual([5, 3, 166, 2]);
  });

  it('writes a single frame as a still image that announces opacity and EXIF data', async () => {
    const exif = new Map([[0x0110, 'x']]);
    const file = await encodeAnimatedWebp(
      [patternPixels(6, 4, 4)],
      { ...lossless, milliseconds: 1, exif },
      nodeCodecs,
    );
    const chunks = chunksOf(file);
    expect(chunks.map(({ type }) => type)).toEqual(['VP8X', 'VP8L', 'EXIF']);
    expect(chunks[0]!.data[0]).toBe(8 | 16);
  });
});

describe('the container', () => {
  const chunks = [
    { type: 'odd ', data: Uint8Array.of(1, 2, 3) },
    { type: 'even', data: Uint8Array.of(4, 5) },
  ];

  it('pads odd chunks, and reads them back', () => {
    const riff = writeRiff(chunks);
    expect(riff).toHaveLength(8 + 4 + 8 + 2);
    expect([...readRiff(riff, 0, riff.length)]).toEqual(chunks);
  });

  it('states the size of everything after its first eight bytes', () => {
    const file = writeWebp(chunks);
    expect(new DataView(file.buffer).getUint32(4, true)).toBe(file.length - 8);
    expect(Buffer.from(file.subarray(0, 16)).toString('latin1')).toBe(
      `RIFF${String.fromCharCode(file.length - 8)}\0\0\0WEBPodd `,
    );
  });

  it('names the truncated chunk', () => {
    const riff = writeRiff(chunks);
    expect(() => [...readRiff(riff, 0, 10)]).toThrow('in the middle of its odd part');
  });

  it('refuses a file that is shorter than it says', async () => {
    await expect(decodeWebp(writeWebp(chunks).subarray(0, 20), nodeCodecs)).rejects.toThrow('cut off');
    await expect(decodeWebp(writeWebp(chunks), nodeCodecs)).rejects.toThrow('no pixels');
  });
});
