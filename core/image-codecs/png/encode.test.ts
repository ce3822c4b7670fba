import { describe, expect, it } from 'vitest';
import { patternPixels } from '#test/support/image-codecs/pattern-pixels.ts';
import { type PngChunk, readChunks } from './chunks.ts';
import { decodePng } from './decode.ts';
import { encodeAnimatedPng, encodePng } from './encode.ts';

const chunksOf = (file: Uint8Array) => [...readChunks(file)];
const typesOf = (file: Uint8Array) => chunksOf(file).map(({ type }) => type);
const view = ({ data }: PngChunk) => new DataView(data.buffer, data.byteOffset, data.byteLength);

describe('encodePng', () => {
  it.each([3, 4] as const)('keeps %i channels and texts at every level', (channels) => {
    const pixels = patternPixels(13, 9, channels);
    const texts = { prompt: '{"1": {"class_type": "X"}}', workflow: '{"note": "h\\u00e9"}', other: 'žluť' };
    for (const level of [0, 1, 4, 9] as const) {
      const file = encodePng(pixels, { texts, level });
      expect(typesOf(file)).toEqual(['IHDR', 'tEXt', 'tEXt', 'iTXt', 'IDAT', 'IEND']);
      expect(decodePng(file)).toEqual({ format: 'png', frames: [pixels], texts });
    }
  });

  it('writes a header of 8 bits, RGB or RGBA, not interlaced', () => {
    const headerOf = (channels: 3 | 4) => [...chunksOf(encodePng(patternPixels(3, 2, channels)))[0]!.data];
    expect(headerOf(3)).toEqual([0, 0, 0, 3, 0, 0, 0, 2, 8, 2, 0, 0, 0]);
    expect(headerOf(4)).toEqual([0, 0, 0, 3, 0, 0, 0, 2, 8, 6, 0, 0, 0]);
  });
});

describe('encodeAnimatedPng', () => {
  const frames = [patternPixels(5, 4, 3), patternPixels(5, 4, 3, 99), patternPixels(5, 4, 3, 7)];

  it('keeps the frames, with texts after the first', () => {
    const file = encodeAnimatedPng(frames, { milliseconds: 100, texts: { prompt: '{}' } });
    expect(typesOf(file)).toEqual([
      ...['IHDR', 'acTL', 'fcTL', 'IDAT', 'comf'],
      ...['fcTL', 'fdAT', 'fcTL', 'fdAT', 'IEND'],
    ]);
    expect(decodePng(file).frames).toEqual(frames);
  });

  it('numbers frames and their data in one sequence, and repeats for ever', () => {
    const chunks = chunksOf(encodeAnimatedPng(frames, { milliseconds: 100 }));
    const [animation] = chunks.filter(({ type }) => type === 'acTL');
    expect([view(animation!).getUint32(0), view(animation!).getUint32(4)]).toEqual([3, 0]);
    const numbered = chunks.filter(({ type }) => type === 'fcTL' || type === 'fdAT');
    expect(numbered.map((chunk) => view(chunk).getUint32(0))).toEqual([0, 1, 2, 3, 4]);
  });

  it.each([
    [100, 100, 1000],
    [0, 1, 1000],
    [65_535, 65_535, 1000],
    [70_400, 70, 1],
  ])('shows a frame for %i ms as %i / %i s', (milliseconds, numerator, denominator) => {
    const file = encodeAnimatedPng(frames, { milliseconds });
    const control = view(chunksOf(file).find(({ type }) => type === 'fcTL')!);
    expect([control.getUint16(20), control.getUint16(22)]).toEqual([numerator, denominator]);
  });

  it('writes a single frame without texts as a plain PNG, and with texts as an animation', () => {
    const single = frames.slice(0, 1);
    expect(typesOf(encodeAnimatedPng(single, { milliseconds: 100 }))).toEqual(['IHDR', 'IDAT', 'IEND']);
    const withTexts = encodeAnimatedPng(single, { milliseconds: 100, texts: { prompt: '{}' } });
    expect(typesOf(withTexts)).toEqual(['IHDR', 'acTL', 'fcTL', 'IDAT', 'comf', 'IEND']);
  });
});
