import { describe, expect, it } from 'vitest';
import { readOrientation, upright, writeExif } from './exif.ts';
import type { Pixels } from './pixels.ts';

/** EXIF data with one other entry before the orientation. */
function exifWith(orientation: number, { isLittleEndian = true, entries = 2 } = {}): Uint8Array {
  const data = new Uint8Array(8 + 2 + entries * 12 + 4);
  const view = new DataView(data.buffer);
  view.setUint16(0, isLittleEndian ? 0x4949 : 0x4d4d);
  view.setUint16(2, 42, isLittleEndian);
  view.setUint32(4, 8, isLittleEndian);
  view.setUint16(8, entries, isLittleEndian);
  view.setUint16(10, 0x0100, isLittleEndian);
  if (entries > 1) {
    view.setUint16(22, 0x0112, isLittleEndian);
    view.setUint16(24, 3, isLittleEndian);
    view.setUint32(26, 1, isLittleEndian);
    view.setUint16(30, orientation, isLittleEndian);
  }
  return data;
}

describe('readOrientation', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('reads %i in both byte orders', (orientation) => {
    expect(readOrientation(exifWith(orientation))).toBe(orientation);
    expect(readOrientation(exifWith(orientation, { isLittleEndian: false }))).toBe(orientation);
  });

  it.each([0, 9, 65_535])('takes %i, which is no orientation, for 1', (orientation) => {
    expect(readOrientation(exifWith(orientation))).toBe(1);
  });

  it('returns 1 without the entry', () => {
    expect(readOrientation(exifWith(6, { entries: 1 }))).toBe(1);
  });

  it('reads data that begins in the middle of a buffer', () => {
    const data = exifWith(6);
    const embedded = new Uint8Array(data.length + 3);
    embedded.set(data, 3);
    expect(readOrientation(embedded.subarray(3))).toBe(6);
  });

  it('returns 1 for another byte order mark and for truncated data', () => {
    const data = exifWith(6);
    expect(readOrientation(data.map((byte, at) => (at < 2 ? 0x4a : byte)))).toBe(1);
    for (let length = 0; length < 34; length++) expect(readOrientation(data.subarray(0, length))).toBe(1);
    expect(readOrientation(data.subarray(0, 34))).toBe(6);
  });

  it('returns 1 when the directory lies outside', () => {
    const data = exifWith(6);
    new DataView(data.buffer).setUint32(4, 1000, true);
    expect(readOrientation(data)).toBe(1);
  });
});

describe('upright', () => {
  /** Two rows, ABC over DEF, as letters. */
  const source = 'ABC/DEF';
  const toPixels = (rows: string): Pixels => {
    const lines = rows.split('/');
    const data = Uint8Array.from(lines.join(''), (letter) => letter.charCodeAt(0));
    const rgb = Uint8Array.from({ length: data.length * 3 }, (_, at) => data[Math.floor(at / 3)]! + (at % 3));
    return { width: lines[0]!.length, height: lines.length, channels: 3, data: rgb };
  };

  // The EXIF standard says where row 0 and column 0 go: for 6, to the right and to the top.
  it.each([
    [1, 'ABC/DEF'],
    [2, 'CBA/FED'],
    [3, 'FED/CBA'],
    [4, 'DEF/ABC'],
    [5, 'AD/BE/CF'],
    [6, 'DA/EB/FC'],
    [7, 'FC/EB/DA'],
    [8, 'CF/BE/AD'],
  ])('orientation %i becomes %s', (orientation, expected) => {
    expect(upright(toPixels(source), orientation)).toEqual(toPixels(expected));
  });

  it('moves the opacity with the colors', () => {
    const pixels: Pixels = { width: 2, height: 1, channels: 4, data: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) };
    expect(upright(pixels, 6)).toEqual({ ...pixels, width: 1, height: 2 });
    expect([...upright(pixels, 2).data]).toEqual([5, 6, 7, 8, 1, 2, 3, 4]);
  });
});

describe('writeExif', () => {
  /** The entries of the directory: tag, type, count and the text that belongs to them. */
  function readEntries(exif: Uint8Array) {
    const view = new DataView(exif.buffer, exif.byteOffset, exif.byteLength);
    const entries = [];
    for (let index = 0; index < view.getUint16(8, true); index++) {
      const at = 10 + index * 12;
      const count = view.getUint32(at + 4, true);
      const start = count <= 4 ? at + 8 : view.getUint32(at + 8, true);
      const text = String.fromCharCode(...exif.subarray(start, start + count));
      entries.push({ tag: view.getUint16(at, true), type: view.getUint16(at + 2, true), text });
    }
    return entries;
  }

  it('stores texts by rising tag, each with a zero at its end', () => {
    const exif = writeExif(
      new Map([
        [0x0110, 'prompt:{}'],
        [0x010f, 'abc'],
        [0x010e, 'workflow'],
      ]),
    );
    expect(readEntries(exif)).toEqual([
      { tag: 0x010e, type: 2, text: 'workflow\0' },
      { tag: 0x010f, type: 2, text: 'abc\0' },
      { tag: 0x0110, type: 2, text: 'prompt:{}\0' },
    ]);
    expect([...exif.subarray(0, 8)]).toEqual([0x49, 0x49, 42, 0, 8, 0, 0, 0]);
  });

  it('replaces characters beyond Latin-1', () => {
    expect(readEntries(writeExif(new Map([[1, 'é😀ž!']])))[0]!.text).toBe('é??!\0');
  });

  it('has no orientation', () => {
    expect(readOrientation(writeExif(new Map([[1, 'text']])))).toBe(1);
  });
});
