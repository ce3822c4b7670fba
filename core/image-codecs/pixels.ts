/** What files of pictures hold, before and after the codecs. */

/** 8 bits a channel, rows from the top: RGB (3 bytes a pixel) or RGBA (4, not premultiplied). */
export interface Pixels {
  width: number;
  height: number;
  channels: 3 | 4;
  data: Uint8Array;
}

export interface DecodedImage {
  format: 'png' | 'jpeg' | 'webp' | 'gif';
  /** At least one; all of one size. */
  frames: Pixels[];
  /** PNG text chunks by keyword. */
  texts: Record<string, string>;
}

/** The bytes are no picture that can be read; the message says why. */
export class ImageUnreadable extends Error {
  override name = 'ImageUnreadable';
}

/** Pixels of all frames together: 256 MiB of bytes and 1 GiB of numbers with an opacity. */
export const MAX_PIXELS = 2 ** 26;

/** Throws `ImageUnreadable` before memory is asked for. */
export function checkSize(format: string, width: number, height: number, frames = 1): void {
  if (!(width >= 1 && height >= 1))
    throw new ImageUnreadable(`the ${format} file says it is ${width} x ${height} pixels: it is damaged`);
  if (width * height * frames > MAX_PIXELS)
    throw new ImageUnreadable(
      `the ${format} file has ${frames > 1 ? `${frames} frames of ` : ''}${width} x ${height} pixels, more than the ${MAX_PIXELS / 2 ** 20} million that are read: make it smaller`,
    );
}
