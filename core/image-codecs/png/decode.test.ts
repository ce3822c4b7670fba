import { zlibSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { patternPixels } from '#test/support/image-codecs/pattern-pixels.ts';
import { type PngChunk, readChunks, writeChunks } from './chunks.ts';
import { decodePng } from './decode.ts';
import { encodePng } from './encode.ts';

function header(width: number, height: number, form: readonly number[] = [8, 2, 0]): PngChunk {
  const [depth, color, interlace] = form;
  const data = new Uint8Array(13);
  new DataView(data.buffer).setUint32(0, width);
  new DataView(data.buffer).setUint32(4, height);
  data.set([depth!, color!, 0, 0, interlace!], 8);
  return { type: 'IHDR', data };
}
const chunk = (type: string, ...data: number[]): PngChunk => ({ type, data: Uint8Array.from(data) });
const pixels = (...raw: number[]): PngChunk => ({ type: 'IDAT', data: zlibSync(Uint8Array.from(raw)) });
const end = chunk('IEND');
const decode = (...chunks: PngChunk[]) => decodePng(writeChunks([...chunks, end]));
const bytesOf = (...chunks: PngChunk[]) => {
  const [frame] = decode(...chunks).frames;
  return [frame!.channels, ...frame!.data];
};
const GRAY = 0;
const RGB = 2;
const PALETTE = 3;
const GRAY_ALPHA = 4;

describe('samples', () => {
  it('of 1, 2 and 4 bits fill their byte from the left and are scaled to 255', () => {
    expect(bytesOf(header(3, 1, [1, GRAY, 0]), pixels(0, 0b10100000))).toEqual([
      3,
      ...[255, 255, 255, 0, 0, 0, 255, 255, 255],
    ]);
    expect(bytesOf(header(2, 1, [2, GRAY, 0]), pixels(0, 0b01110000))).toEqual([
      3, 85, 85, 85, 255, 255, 255,
    ]);
    expect(bytesOf(header(2, 1, [4, GRAY, 0]), pixels(0, 0x1f))).toEqual([3, 17, 17, 17, 255, 255, 255]);
  });

  it('of 16 bits keep their high byte; gray ones are divided by 255 and clamped', () => {
    expect(bytesOf(header(1, 1, [16, RGB, 0]), pixels(0, 1, 255, 2, 0, 255, 255))).toEqual([3, 1, 2, 255]);
    expect(bytesOf(header(2, 1, [16, GRAY, 0]), pixels(0, 1, 254, 255, 255))).toEqual([
      3, 2, 2, 2, 255, 255, 255,
    ]);
    expect(bytesOf(header(1, 1, [16, GRAY_ALPHA, 0]), pixels(0, 9, 9, 128, 255))).toEqual([4, 9, 9, 9, 128]);
  });

  it('of a palette take its colors, with opacities that may end early', () => {
    const colors = [chunk('PLTE', 1, 2, 3, 4, 5, 6, 7, 8, 9), chunk('tRNS', 0, 128)] as const;
    expect(bytesOf(header(3, 1, [8, PALETTE, 0]), ...colors, pixels(0, 2, 1, 0))).toEqual([
      4,
      ...[7, 8, 9, 255],
      ...[4, 5, 6, 128],
      ...[1, 2, 3, 0],
    ]);
    expect(() => decode(header(1, 1, [8, PALETTE, 0]), colors[0], pixels(0, 3))).toThrow('palette');
    expect(() => decode(header(1, 1, [8, PALETTE, 0]), pixels(0, 0))).toThrow('palette');
  });

  it('of the transparent color are clear, others opaque', () => {
    const raw = pixels(0, 1, 2, 3, 1, 2, 4);
    expect(bytesOf(header(2, 1), chunk('tRNS', 0, 1, 0, 2, 0, 3), raw)).toEqual([
      4, 1, 2, 3, 0, 1, 2, 4, 255,
    ]);
    // Bits above the depth do not count.
    expect(bytesOf(header(1, 1, [4, GRAY, 0]), chunk('tRNS', 0xff, 0xf1), pixels(0, 0x10))).toEqual([
      4, 17, 17, 17, 0,
    ]);
  });
});

describe('filters', () => {
  // Rows of two RGB pixels. The filtered bytes are worked out by hand from the standard's section 9.
  it.each([
    ['none', [0, 10, 20, 30, 40, 50, 60], [10, 20, 30, 40, 50, 60]],
    ['sub', [1, 10, 20, 30, 250, 10, 10], [10, 20, 30, 4, 30, 40]],
  ])('%s in the first row', (_, row, expected) => {
    expect(bytesOf(header(2, 1), pixels(...row))).toEqual([3, ...expected]);
  });

  const first = [0, 10, 20, 30, 100, 110, 120];
  it.each([
    ['up', [2, 1, 2, 3, 4, 5, 255], [11, 22, 33, 104, 115, 119]],
    ['average', [3, 1, 1, 1, 1, 1, 1], [6, 11, 16, 54, 61, 69]],
    // For the second pixel a = 10, b = 100, c = 10: b is nearest.
    ['paeth', [4, 0, 0, 0, 1, 1, 1], [10, 20, 30, 101, 111, 121]],
    // a = 210, b = 100, c = 10: a is nearest.
    ['paeth to the left', [4, 200, 0, 0, 0, 0, 0], [210, 20, 30, 210, 110, 120]],
  ])('%s in the second row', (_, row, expected) => {
    const { frames } = decode(header(2, 2), pixels(...first, ...row));
    expect([...frames[0]!.data.subarray(6)]).toEqual(expected);
  });

  it('do not include a sixth', () => {
    expect(() => decode(header(1, 1), pixels(5, 1, 2, 3))).toThrow('filter that does not exist (5)');
  });
});

it('places the seven passes of an interlaced image', () => {
  // In 3 x 3 gray pixels, pass 1 holds (0, 0), pass 4 (2, 0), pass 5 (0, 2) and (2, 2). Pass 6 holds (1, 0) and (1, 2), and
  // pass 7 row 1.
  const raw = [0, 1, 0, 3, 0, 7, 9, 0, 2, 0, 8, 0, 4, 5, 6];
  const { frames } = decode(header(3, 3, [8, GRAY, 1]), pixels(...raw));
  expect([...frames[0]!.data].filter((_, at) => at % 3 === 0)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

describe('animations', () => {
  const u32 = (value: number) => [value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255];
  const u16 = (value: number) => [value >> 8, value & 255];
  let sequence = 0;
  const control = (x: number, width: number, { disposal = 0, blends = 0 } = {}) =>
    chunk(
      'fcTL',
      ...u32(sequence++),
      ...u32(width),
      ...u32(1),
      ...u32(x),
      ...u32(0),
      ...u16(1),
      ...u16(10),
      disposal,
      blends,
    );
  const data = (...raw: number[]) => chunk('fdAT', ...u32(sequence++), ...zlibSync(Uint8Array.from(raw)));
  const animation = (frames: number) => chunk('acTL', ...u32(frames), ...u32(0));
  const grayAlpha = header(2, 1, [8, GRAY_ALPHA, 0]);
  const still = pixels(0, 50, 255, 60, 255);
  const grayOf = (frames: { data: Uint8Array; channels: number }[]) =>
    frames.map(({ data: bytes, channels }) =>
      Array.from({ length: 2 }, (_, at) => [bytes[at * channels], channels === 4 ? bytes[at * 4 + 3] : 255]),
    );

  it('leave out a still image that comes before the first frame', () => {
    const { frames } = decode(grayAlpha, animation(1), still, control(0, 2), data(0, 1, 255, 2, 255));
    expect(grayOf(frames)).toEqual([
      [
        [1, 255],
        [2, 255],
      ],
    ]);
  });

  it('draw a part over the frame before', () => {
    const { frames } = decode(grayAlpha, animation(2), control(0, 2), still, control(1, 1), data(0, 9, 255));
    expect(grayOf(frames)).toEqual([
      [
        [50, 255],
        [60, 255],
      ],
      [
        [50, 255],
        [9, 255],
      ],
    ]);
  });

  it('clear or restore the canvas after a frame, as its disposal says', () => {
    const shown = (disposal: number) =>
      grayOf(
        decode(
          grayAlpha,
          animation(3),
          control(0, 2),
          still,
          control(1, 1, { disposal }),
          data(0, 9, 255),
          control(0, 1),
          data(0, 7, 255),
        ).frames,
      )[2];
    expect(shown(0)).toEqual([
      [7, 255],
      [9, 255],
    ]);
    expect(shown(1)).toEqual([
      [7, 255],
      [0, 0],
    ]);
    expect(shown(2)).toEqual([
      [7, 255],
      [60, 255],
    ]);
  });

  it('blend a frame only when it says so', () => {
    const second = (blends: number) =>
      grayOf(
        decode(grayAlpha, animation(2), control(0, 2), still, control(0, 1, { blends }), data(0, 9, 0))
          .frames,
      )[1];
    expect(second(0)).toEqual([
      [9, 0],
      [60, 255],
    ]);
    expect(second(1)).toEqual([
      [50, 255],
      [60, 255],
    ]);
  });

  it('refuse frames outside of the canvas and damaged chunks', () => {
    expect(() => decode(grayAlpha, animation(1), control(1, 2), still)).toThrow('outside the image');
    expect(() => decode(grayAlpha, animation(1), control(0, 0), still)).toThrow('outside the image');
    expect(() => decode(grayAlpha, chunk('acTL', 0, 0, 0, 1), still)).toThrow('animation');
    expect(() => decode(grayAlpha, animation(1), chunk('fcTL', 1, 2), still)).toThrow('animation');
    expect(() => decode(header(8000, 8000), animation(2), still)).toThrow('2 frames of 8000 x 8000');
  });

  it('are still images when acTL comes after the pixels', () => {
    const { frames } = decode(grayAlpha, still, animation(1), control(0, 2), data(0, 1, 255, 2, 255));
    expect(grayOf(frames)).toEqual([
      [
        [50, 255],
        [60, 255],
      ],
    ]);
  });
});

describe('chunks', () => {
  const file = encodePng(patternPixels(4, 4, 3), { texts: { prompt: 'x' } });
  const offsetOf = (type: string) => Buffer.from(file).indexOf(type, 0, 'latin1');
  const damage = (at: number) => file.map((byte, index) => (index === at ? byte ^ 1 : byte));

  it('with a wrong checksum are left out when the image does not need them', () => {
    expect(decodePng(damage(offsetOf('tEXt') + 5)).texts).toEqual({});
    expect(() => decodePng(damage(offsetOf('IDAT') + 5))).toThrow(
      'the IDAT chunk of the PNG file is damaged (checksum)',
    );
  });

  it('come back as they were written', () => {
    const chunks = [chunk('abCd', 1, 2, 3), chunk('emPt'), end];
    expect([...readChunks(writeChunks(chunks))]).toEqual(chunks);
  });

  it('begin with one header', () => {
    expect(() => decode(pixels(0, 1, 2, 3))).toThrow('no header');
    expect(() => decode(header(1, 1), header(1, 1), pixels(0, 1, 2, 3))).toThrow('two headers');
    expect(() => decode(chunk('IHDR', 1, 2))).toThrow('header of the PNG file is damaged');
    expect(() => decode(header(1, 1))).toThrow('no pixels');
  });

  it.each([
    [[3, RGB, 0], 'form that does not exist (color type 2, 3 bits, interlace 0)'],
    [[8, 1, 0], 'color type 1'],
    [[16, PALETTE, 0], 'color type 3, 16 bits'],
    [[8, RGB, 2], 'interlace 2'],
  ])('refuse a header of depth, color type and interlace %j', (form, message) => {
    expect(() => decode(header(1, 1, form), pixels(0, 1, 2, 3))).toThrow(message);
  });

  it('join the pixels of several IDAT, and tRNS of an image with opacity is ignored', () => {
    const { data } = pixels(0, 1, 2, 3, 4);
    const split = [data.subarray(0, 5), data.subarray(5)].map((part) => ({ type: 'IDAT', data: part }));
    expect(bytesOf(header(1, 1, [8, 6, 0]), chunk('tRNS', 0, 1, 0, 2, 0, 3), ...split)).toEqual([
      4, 1, 2, 3, 4,
    ]);
  });
});

describe('hostile files', () => {
  const bomb = zlibSync(new Uint8Array(64 * 2 ** 20), { level: 9 });

  it('of absurd size are refused by their header', () => {
    expect(() => decode(header(60_000, 60_000), { type: 'IDAT', data: bomb })).toThrow(
      /60000 x 60000.*make it smaller/,
    );
    expect(() => decode(header(0, 4), pixels(0))).toThrow('0 x 4 pixels: it is damaged');
  });

  it('expand no further than the image', () => {
    // Reading on would meet the damage.
    const damaged = { type: 'IDAT', data: bomb.slice().fill(255, 20_000) };
    expect(decode(header(4, 4), damaged).frames[0]!.data).toHaveLength(48);
    expect(() => decode(header(8000, 8000), damaged)).toThrow(/damaged|cut off/);
  });

  it('expand no texts without end', () => {
    const key = new TextEncoder().encode('prompt\0\0');
    const text = { type: 'zTXt', data: Uint8Array.from([...key, ...bomb]) };
    const started = performance.now();
    expect(
      decode(header(4, 1), ...Array<PngChunk>(200).fill(text), pixels(...new Array(13).fill(0))).texts,
    ).toEqual({});
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('have a limited number of chunks', () => {
    expect(() => decode(header(4, 4), ...Array<PngChunk>(100_001).fill(chunk('teSt')))).toThrow(
      '100000 chunks',
    );
  });

  it('with fewer pixels than the header says are truncated', () => {
    expect(() => decode(header(2, 1), pixels(0, 1, 2, 3))).toThrow('fewer pixels than it says');
    expect(() => decode(header(1, 1), { type: 'IDAT', data: new Uint8Array(20).fill(255) })).toThrow(
      'compressed pixels of the PNG file are damaged',
    );
  });
});
