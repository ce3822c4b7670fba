/** Images as the Edit Image node works on them: RGBA bytes, not premultiplied, rows from the top. */
import { MAX_PIXELS } from '#core/image-codecs';
import { NodeError } from '../../node-api/node-error.ts';

/** An image. `data` has 4 bytes for each pixel. */
export interface Image {
  width: number;
  height: number;
  data: Uint8Array;
}

/** Red, green, blue and alpha, 0 to 255. */
export type Color = readonly [red: number, green: number, blue: number, alpha: number];

/** @throws NodeError for sizes below one pixel, and beyond the limit of images */
export function checkSize(width: number, height: number): void {
  const [columns, rows] = [Math.round(width), Math.round(height)];
  if (!(columns >= 1 && rows >= 1)) throw new NodeError(`An image cannot have ${width} x ${height} pixels`);
  if (columns * rows > MAX_PIXELS) {
    const limit = MAX_PIXELS / 2 ** 20;
    throw new NodeError(
      `An image of ${columns} x ${rows} pixels is too large: the limit is ${limit} million pixels`,
    );
  }
}

/** An image of one color. @throws NodeError as `checkSize` does */
export function newImage(width: number, height: number, color: Color = [0, 0, 0, 0]): Image {
  checkSize(width, height);
  const [columns, rows] = [Math.round(width), Math.round(height)];
  const data = new Uint8Array(columns * rows * 4);
  if (color[3] > 0) new Uint32Array(data.buffer).fill(new Uint32Array(Uint8Array.from(color).buffer)[0]!);
  return { width: columns, height: rows, data };
}

/** Copies the part of `source` that lies in `target`, whose corner comes to the point. Replaces colors and alpha. */
export function copyInto(target: Image, source: Image, left: number, top: number): void {
  const from = Math.max(0, -left);
  const to = Math.min(source.width, target.width - left);
  if (to <= from) return;
  for (let y = Math.max(0, -top); y < Math.min(source.height, target.height - top); y++) {
    const row = source.data.subarray((y * source.width + from) * 4, (y * source.width + to) * 4);
    target.data.set(row, ((y + top) * target.width + left + from) * 4);
  }
}
