import { zlibSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { nodeCodecs } from '#shim/host/image-codecs.ts';
import { decodeImage } from './decode.ts';
import { encodeJpeg } from './jpeg/decode.ts';
import type { Pixels } from './pixels.ts';
import { readChunks, writeChunks } from './png/chunks.ts';
import { encodeAnimatedPng, encodePng } from './png/encode.ts';
import { encodeAnimatedWebp, encodeWebp } from './webp/encode.ts';

const picture = (width: number, height: number, channels: 3 | 4, seed = 0): Pixels => ({
  width,
  height,
  channels,
  data: Uint8Array.from(
    { length: width * height * channels },
    (_, at) => (at * 37 + (at >> 3) * 11 + seed) & 255,
  ),
});
const chunks = (bytes: Uint8Array) => [...readChunks(bytes)].map(({ type }) => type);

describe('PNG', () => {
  it.each([3, 4] as const)('keeps %i channels and texts', async (channels) => {
    const pixels = picture(13, 9, channels);
    const texts = { prompt: '{"1": {"class_type": "X"}}', workflow: '{"note": "h\\u00e9"}', other: 'žluť' };
    for (const level of [0, 1, 4, 9] as const) {
      const bytes = encodePng(pixels, { texts, level });
      expect(chunks(bytes)).toEqual(['IHDR', 'tEXt', 'tEXt', 'iTXt', 'IDAT', 'IEND']);
      expect(await decodeImage(bytes, undefined)).toEqual({ format: 'png', frames: [pixels], texts });
    }
  });

  it('animates', async () => {
    const frames = [picture(5, 4, 3), picture(5, 4, 3, 99), picture(5, 4, 3, 7)];
    const bytes = encodeAnimatedPng(frames, { milliseconds: 100, texts: { prompt: '{}' } });
    expect(chunks(bytes)).toEqual([
      'IHDR',
      'acTL',
      'fcTL',
      'IDAT',
      'comf',
      'fcTL',
      'fdAT',
      'fcTL',
      'fdAT',
      'IEND',
    ]);
    expect((await decodeImage(bytes, undefined)).frames).toEqual(frames);
  });
});

describe('WebP', () => {
  it.each([3, 4] as const)('keeps %i channels without loss', async (channels) => {
    const pixels = picture(16, 8, channels);
    if (channels === 4) for (let at = 3; at < pixels.data.length; at += 4) pixels.data[at] = 128 + (at % 100);
    const bytes = await encodeWebp(pixels, { quality: 80, lossless: true }, nodeCodecs);
    expect((await decodeImage(bytes, nodeCodecs)).frames).toEqual([pixels]);
  });

  it('animates, with texts in its EXIF data', async () => {
    const frames = [picture(6, 4, 3), picture(6, 4, 3, 50)];
    const exif = new Map([
      [0x0110, 'prompt:{}'],
      [0x010f, 'workflow:{"a": 1}'],
    ]);
    const bytes = await encodeAnimatedWebp(
      frames,
      { quality: 80, lossless: true, milliseconds: 166, exif },
      nodeCodecs,
    );
    expect((await decodeImage(bytes, nodeCodecs)).frames).toEqual(frames);
    const text = Buffer.from(bytes).toString('latin1');
    expect(text).toContain('prompt:{}\0');
    expect(text.indexOf('workflow:{"a": 1}\0')).toBeLessThan(text.indexOf('prompt:{}'));
  });
});

it('JPEG is close to what went in, and drops opacity', async () => {
  const pixels: Pixels = {
    width: 16,
    height: 16,
    channels: 4,
    data: Uint8Array.from({ length: 1024 }, (_, at) => (at % 4 === 3 ? 10 : 100 + ((at >> 6) & 15) * 4)),
  };
  const made = (await decodeImage(await encodeJpeg(pixels, 95, nodeCodecs), nodeCodecs)).frames[0]!;
  expect(made.channels).toBe(3);
  for (let pixel = 0; pixel < 256; pixel++)
    expect(Math.abs(made.data[pixel * 3]! - pixels.data[pixel * 4]!)).toBeLessThan(4);
});

describe('hostile files', () => {
  const header = (width: number, height: number, more = [8, 2, 0, 0, 0]) => {
    const data = new Uint8Array(13);
    new DataView(data.buffer).setUint32(0, width);
    new DataView(data.buffer).setUint32(4, height);
    data.set(more, 8);
    return { type: 'IHDR', data };
  };
  const end = { type: 'IEND', data: new Uint8Array() };
  const bomb = zlibSync(new Uint8Array(64 * 2 ** 20), { level: 9 });
  const reads = (file: Uint8Array) => decodeImage(file, undefined);

  it('a picture of absurd size is refused by its header', async () => {
    const file = writeChunks([header(60000, 60000), { type: 'IDAT', data: bomb }, end]);
    await expect(reads(file)).rejects.toThrow(/60000 x 60000.*make it smaller/);
    const tiny = Buffer.from('GIF89a\xff\xff\xff\xff\x00\x00\x00;', 'latin1');
    await expect(reads(tiny)).rejects.toThrow(/65535 x 65535/);
  });

  it('pixels that expand beyond the picture are not expanded', async () => {
    // were it read on, the damage would be met
    const damaged = bomb.slice().fill(255, 20_000);
    const file = writeChunks([header(4, 4), { type: 'IDAT', data: damaged }, end]);
    expect((await reads(file)).frames[0]!.data).toHaveLength(48);
    const larger = writeChunks([header(8000, 8000), { type: 'IDAT', data: damaged }, end]);
    await expect(reads(larger)).rejects.toThrow(/damaged|cut off/);
  });

  it('texts that expand without end are left out', async () => {
    const key = new TextEncoder().encode('prompt\0\0');
    const data = new Uint8Array(key.length + bomb.length);
    data.set(key);
    data.set(bomb, key.length);
    const pixels = { type: 'IDAT', data: zlibSync(new Uint8Array(13)) };
    const file = writeChunks([header(4, 1), ...Array(200).fill({ type: 'zTXt', data }), pixels, end]);
    const started = performance.now();
    expect((await reads(file)).texts).toEqual({});
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('names what is wrong', async () => {
    await expect(reads(new Uint8Array())).rejects.toThrow('the file is empty');
    await expect(reads(new TextEncoder().encode('<svg/>'))).rejects.toThrow(/no PNG, JPEG, WebP or GIF/);
    await expect(reads(writeChunks([header(4, 4, [3, 2, 0, 0, 0]), end]))).rejects.toThrow(/form/);
    await expect(reads(writeChunks([header(4, 4), end]))).rejects.toThrow(/no pixels/);
    await expect(reads(writeChunks([header(0, 4), end]))).rejects.toThrow(/damaged/);
    const many = Array(100_001).fill({ type: 'teSt', data: new Uint8Array() });
    await expect(reads(writeChunks([header(4, 4), ...many, end]))).rejects.toThrow(/100000 chunks/);
    await expect(
      decodeImage(await encodeWebp(picture(4, 4, 3), { quality: 5 }, nodeCodecs), undefined),
    ).rejects.toThrow(/no codec for WEBP/);
  });
});
