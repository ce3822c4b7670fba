/** EXIF data: the orientation, which decoders apply, and texts, which WebP files store. */
import type { Pixels } from './pixels.ts';

const ORIENTATION_TAG = 0x0112;

/**
 * The orientation of an image, 1 to 8. It is 1 when the data is damaged or has none.
 * @param tiff EXIF data from its byte order mark on
 */
export function readOrientation(tiff: Uint8Array): number {
  if (tiff.length < 8) return 1;
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  const order = view.getUint16(0);
  if (order !== 0x4949 && order !== 0x4d4d) return 1;
  const isLittleEndian = order === 0x4949;
  const start = view.getUint32(4, isLittleEndian);
  if (start + 2 > tiff.length) return 1;
  const count = view.getUint16(start, isLittleEndian);
  for (let index = 0; index < count; index++) {
    const at = start + 2 + index * 12;
    if (at + 12 > tiff.length) return 1;
    if (view.getUint16(at, isLittleEndian) !== ORIENTATION_TAG) continue;
    const value = view.getUint16(at + 8, isLittleEndian);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/**
 * The source pixel for (x, y) of the upright image, by orientation. The largest coordinates of the source are `right` and
 * `bottom`. Orientation 1 needs no change.
 */
const SOURCE: Record<number, (x: number, y: number, right: number, bottom: number) => [number, number]> = {
  2: (x, y, right) => [right - x, y],
  3: (x, y, right, bottom) => [right - x, bottom - y],
  4: (x, y, _right, bottom) => [x, bottom - y],
  5: (x, y) => [y, x],
  6: (x, y, _right, bottom) => [y, bottom - x],
  7: (x, y, right, bottom) => [right - y, bottom - x],
  8: (x, y, right) => [right - y, x],
};

/** Turns and mirrors the image as its EXIF orientation (1 to 8) says. Orientations 5 to 8 swap width and height. */
export function upright(pixels: Pixels, orientation: number): Pixels {
  const source = SOURCE[orientation];
  if (!source) return pixels;
  const { channels, data } = pixels;
  const isTurned = orientation >= 5;
  const width = isTurned ? pixels.height : pixels.width;
  const height = isTurned ? pixels.width : pixels.height;
  const turned = new Uint8Array(data.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [sourceX, sourceY] = source(x, y, pixels.width - 1, pixels.height - 1);
      const from = (sourceY * pixels.width + sourceX) * channels;
      turned.set(data.subarray(from, from + channels), (y * width + x) * channels);
    }
  }
  return { ...pixels, width, height, data: turned };
}

/**
 * EXIF data that holds texts: a TIFF header and one directory of ASCII entries. Characters above U+00FF become `?`.
 * @param texts by tag
 */
export function writeExif(texts: ReadonlyMap<number, string>): Uint8Array {
  const entries = [...texts].sort(([a], [b]) => a - b);
  const start = 8 + 2 + entries.length * 12 + 4;
  const bodies = entries.map(([, text]) =>
    Uint8Array.from([...text, '\0'], (character) => {
      const code = character.codePointAt(0)!;
      return code > 255 ? 63 : code;
    }),
  );
  const exif = new Uint8Array(start + bodies.reduce((sum, { length }) => sum + length + (length % 2), 0));
  const view = new DataView(exif.buffer);
  view.setUint16(0, 0x4949);
  view.setUint16(2, 42, true);
  view.setUint32(4, 8, true);
  view.setUint16(8, entries.length, true);
  let bodyOffset = start;
  for (const [index, [tag]] of entries.entries()) {
    const body = bodies[index]!;
    const at = 10 + index * 12;
    view.setUint16(at, tag, true);
    view.setUint16(at + 2, 2, true);
    view.setUint32(at + 4, body.length, true);
    // Up to four bytes fit into the entry itself.
    if (body.length <= 4) exif.set(body, at + 8);
    else {
      view.setUint32(at + 8, bodyOffset, true);
      exif.set(body, bodyOffset);
      bodyOffset += body.length + (body.length % 2);
    }
  }
  return exif.subarray(0, bodyOffset);
}
