/** The rows of a PNG's pixels: passes of an interlaced image, filters, samples (PNG, third edition, sections 8 and 9). */
import { ImageUnreadable } from '../pixels.ts';
import type { PngHeader } from './header.ts';

/** The pixels that one pass covers: every `stepX`-th column from `x` on, every `stepY`-th row from `y` on. */
interface Pass {
  x: number;
  y: number;
  stepX: number;
  stepY: number;
}
const SINGLE_PASS: readonly Pass[] = [{ x: 0, y: 0, stepX: 1, stepY: 1 }];
const ADAM7: readonly Pass[] = [
  { x: 0, y: 0, stepX: 8, stepY: 8 },
  { x: 4, y: 0, stepX: 8, stepY: 8 },
  { x: 0, y: 4, stepX: 4, stepY: 8 },
  { x: 2, y: 0, stepX: 4, stepY: 4 },
  { x: 0, y: 2, stepX: 2, stepY: 4 },
  { x: 1, y: 0, stepX: 2, stepY: 2 },
  { x: 0, y: 1, stepX: 1, stepY: 2 },
];

interface SizedPass extends Pass {
  width: number;
  height: number;
  /** Bytes in a row, without the byte that names its filter. */
  rowBytes: number;
}

function passes(header: PngHeader): SizedPass[] {
  return (header.isInterlaced ? ADAM7 : SINGLE_PASS).flatMap((pass) => {
    const width = Math.ceil((header.width - pass.x) / pass.stepX);
    const height = Math.ceil((header.height - pass.y) / pass.stepY);
    if (width <= 0 || height <= 0) return [];
    return [{ ...pass, width, height, rowBytes: Math.ceil((width * header.samples * header.depth) / 8) }];
  });
}

/** Bytes of all decompressed rows. */
export const rawSize = (header: PngHeader): number =>
  passes(header).reduce((sum, { rowBytes, height }) => sum + (rowBytes + 1) * height, 0);

/**
 * The samples of all pixels in reading order, one number each, at the header's depth.
 * @param raw the decompressed rows; it is changed
 * @throws `ImageUnreadable` for an unknown filter
 */
export function readSamples(raw: Uint8Array, header: PngHeader): Uint8Array | Uint16Array {
  const size = header.width * header.height * header.samples;
  const samples = header.depth === 16 ? new Uint16Array(size) : new Uint8Array(size);
  const pixelBytes = Math.max(1, (header.samples * header.depth) / 8);
  let at = 0;
  for (const pass of passes(header)) {
    let above: Uint8Array = new Uint8Array(pass.rowBytes);
    for (let row = 0; row < pass.height; row++) {
      const filter = raw[at]!;
      const bytes = raw.subarray(at + 1, at + 1 + pass.rowBytes);
      at += pass.rowBytes + 1;
      unfilter(filter, bytes, above, pixelBytes);
      above = bytes;
      placeRow(bytes, samples, header, pass, row);
    }
  }
  return samples;
}

/** Writes the samples of one row of a pass to their places in the image. */
function placeRow(
  bytes: Uint8Array,
  samples: Uint8Array | Uint16Array,
  { width, samples: perPixel, depth }: PngHeader,
  pass: SizedPass,
  row: number,
): void {
  const start = (pass.y + row * pass.stepY) * width;
  if (depth === 8 && pass.stepX === 1) {
    samples.set(bytes, start * perPixel);
    return;
  }
  const mask = (1 << depth) - 1;
  for (let column = 0; column < pass.width; column++)
    for (let sample = 0; sample < perPixel; sample++) {
      const index = column * perPixel + sample;
      const target = (start + pass.x + column * pass.stepX) * perPixel + sample;
      if (depth === 8) samples[target] = bytes[index]!;
      else if (depth === 16) samples[target] = (bytes[index * 2]! << 8) | bytes[index * 2 + 1]!;
      else {
        const bit = index * depth;
        samples[target] = (bytes[bit >> 3]! >> (8 - depth - (bit & 7))) & mask;
      }
    }
}

/** Undoes a row's filter in place. `step`: bytes in a pixel. */
function unfilter(filter: number, row: Uint8Array, above: Uint8Array, step: number): void {
  switch (filter) {
    case 0:
      return;
    case 1:
      for (let at = step; at < row.length; at++) row[at] = row[at]! + row[at - step]!;
      return;
    case 2:
      for (let at = 0; at < row.length; at++) row[at] = row[at]! + above[at]!;
      return;
    case 3:
      for (let at = 0; at < row.length; at++)
        row[at] = row[at]! + (((at < step ? 0 : row[at - step]!) + above[at]!) >> 1);
      return;
    case 4:
      for (let at = 0; at < row.length; at++)
        row[at] =
          row[at]! + paeth(at < step ? 0 : row[at - step]!, above[at]!, at < step ? 0 : above[at - step]!);
      return;
    default:
      throw new ImageUnreadable(`the PNG file uses a filter that does not exist (${filter}): it is damaged`);
  }
}

/** The neighbor whose value is nearest to left + above - aboveLeft: PNG's Paeth predictor. */
function paeth(left: number, above: number, aboveLeft: number): number {
  const prediction = left + above - aboveLeft;
  const distanceToLeft = Math.abs(prediction - left);
  const distanceToAbove = Math.abs(prediction - above);
  const distanceToAboveLeft = Math.abs(prediction - aboveLeft);
  return distanceToLeft <= distanceToAbove && distanceToLeft <= distanceToAboveLeft
    ? left
    : distanceToAbove <= distanceToAboveLeft
      ? above
      : aboveLeft;
}
