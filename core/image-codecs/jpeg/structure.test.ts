import { describe, expect, it } from 'vitest';
import { readJpegStructure } from './structure.ts';

const START = [0xff, 0xd8];
const END = [0xff, 0xd9];
const segment = (marker: number, ...body: number[]) => [
  ...[0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 255],
  ...body,
];
const frame = (width: number, height: number, components = 3) =>
  segment(0xc0, 8, height >> 8, height & 255, width >> 8, width & 255, components);
/** A scan with a stuffed FF and a restart marker among its pixels. */
const scan = [...segment(0xda, 1), 0x12, 0xff, 0x00, 0x34, 0xff, 0xd3, 0x56];
const read = (...parts: number[][]) => readJpegStructure(Uint8Array.from(parts.flat()));

describe('readJpegStructure', () => {
  it('reads size and channels, past fill bytes and unknown segments', () => {
    expect(read(START, [0xff, 0xff], segment(0xe0, 1, 2), frame(300, 200), scan, END)).toEqual({
      width: 300,
      height: 200,
      components: 3,
      orientation: 1,
    });
  });

  it('reads the orientation from EXIF data alone', () => {
    const tiff = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0];
    const app1 = (prefix: string) => segment(0xe1, ...Buffer.from(prefix, 'latin1'), ...tiff);
    expect(read(START, app1('Exif\0\0'), frame(2, 1), scan, END).orientation).toBe(6);
    expect(read(START, app1('http\0\0'), frame(2, 1), scan, END).orientation).toBe(1);
  });

  it.each([0xc4, 0xc8, 0xcc])('takes the marker %i for no frame', (marker) => {
    expect(read(START, segment(marker, 8, 0, 9, 0, 9, 1), frame(2, 1), scan, END).width).toBe(2);
  });

  it.each([
    ['no frame', [START, scan, END], 'holds no pixels'],
    ['no scan', [START, frame(2, 1), END], 'holds no pixels'],
    ['two frames', [START, frame(2, 1), frame(2, 1), scan, END], 'is damaged'],
    ['a frame without a size', [START, segment(0xc0, 8, 0), scan, END], 'is damaged'],
    ['an empty image', [START, frame(0, 1), scan, END], 'it is damaged'],
    ['no end', [START, frame(2, 1), scan], 'in the middle of its pixels'],
    ['no marker', [START, frame(2, 1), [0x12, 0x34]], 'is damaged'],
    ['nothing after the start', [START], 'ends too early'],
    ['a segment beyond the end', [START, [0xff, 0xe0, 0, 9, 1]], 'ends too early'],
    ['a segment without a length', [START, [0xff, 0xe0, 0, 1, 1]], 'ends too early'],
  ])('refuses a file with %s', (_, parts, message) => {
    expect(() => read(...parts)).toThrow(message);
  });

  it('limits the scans of large images', () => {
    const scans = (count: number) => Array<number[]>(count).fill(scan);
    expect(read(START, frame(8192, 8192), ...scans(16), END).width).toBe(8192);
    expect(() => read(START, frame(8192, 8192), ...scans(17), END)).toThrow('17 or more passes');
    expect(read(START, frame(2, 1), ...scans(40), END).width).toBe(2);
  });
});
