/**
 * An image as image files hold it, with 8 bits a channel and rows from the top. A pixel is RGB (3 bytes) or RGBA (4 bytes,
 * not premultiplied).
 */
export interface Pixels {
  width: number;
  height: number;
  channels: 3 | 4;
  data: Uint8Array;
}

/** The content of an image file. */
export interface DecodedImage {
  format: 'png' | 'jpeg' | 'webp' | 'gif';
  /** At least one, all of one size. A still image has one. */
  frames: Pixels[];
  /** The texts of a PNG file by keyword. Empty for other formats. */
  texts: Record<string, string>;
}

/** The bytes are no image that tabd reads. The message says why. */
export class ImageUnreadable extends Error {
  override name = 'ImageUnreadable';
}

/** Pixels of all frames together. As RGBA they take 256 MiB of bytes, and 1 GiB of 32-bit floats. */
export const MAX_PIXELS = 2 ** 26;

/**
 * Called before memory is reserved.
 * @throws `ImageUnreadable` for empty images and for more than `MAX_PIXELS`
 */
export function checkSize(format: string, width: number, height: number, frames = 1): void {
  if (!(width >= 1 && height >= 1))
    throw new ImageUnreadable(`the ${format} file says it is ${width} x ${height} pixels: it is damaged`);
  if (width * height * frames > MAX_PIXELS)
    throw new ImageUnreadable(
      `the ${format} file has ${frames > 1 ? `${frames} frames of ` : ''}${width} x ${height} pixels, more than the ${MAX_PIXELS / 2 ** 20} million that are read: make it smaller`,
    );
}
