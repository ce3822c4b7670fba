/** Reads and writes the image files of the Edit Image node. */
import type { CodecFiles } from '#core/host';
import {
  decodeImage,
  encodeJpeg,
  encodePng,
  encodeWebp,
  ImageUnreadable,
  withAlpha,
} from '#core/image-codecs';
import { NodeError } from '../../node-api/node-error.ts';
import type { Image } from './image.ts';

/** The formats that images are written in. */
export const WRITABLE = ['bmp', 'jpeg', 'png', 'webp'];
/** The quality of JPEG and WebP where the node sets none. */
const QUALITY = 75;

/** An image file with its first frame. */
export interface ReadImage {
  /** `png`, `jpeg`, `webp` or `gif` */
  format: string;
  frames: number;
  hasAlpha: boolean;
  image: Image;
}

/** @throws NodeError for a file that is no image */
export async function readImage(bytes: Uint8Array, codecs: CodecFiles | undefined): Promise<ReadImage> {
  try {
    const { format, frames } = await decodeImage(bytes, codecs);
    const [first] = frames;
    const { width, height, channels } = first!;
    const data = withAlpha(first!);
    return { format, frames: frames.length, hasAlpha: channels === 4, image: { width, height, data } };
  } catch (error) {
    if (error instanceof ImageUnreadable)
      throw new NodeError(`The image cannot be read: ${error.message}`, { cause: error });
    throw error;
  }
}

/** @throws NodeError for a format that is not written here, and for an image that is too large for it */
export async function writeImage(
  image: Image,
  format: string,
  quality: number | undefined,
  codecs: CodecFiles | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const pixels = { ...image, channels: 4 as const };
  try {
    if (format === 'png') return encodePng(pixels);
    if (format === 'bmp') return encodeBmp(image);
    if (format === 'jpeg') return await encodeJpeg(onWhite(image), quality ?? QUALITY, codecs);
    if (format === 'webp') return await encodeWebp(pixels, { quality: quality ?? QUALITY }, codecs);
  } catch (error) {
    if (error instanceof RangeError) throw new NodeError(error.message, { cause: error });
    throw error;
  }
  throw new NodeError(
    `Images cannot be written as ${format.toUpperCase()} here: choose the format ${WRITABLE.join(', ')}`,
  );
}

/** JPEG has no transparency: it becomes white. */
function onWhite({ width, height, data }: Image): {
  width: number;
  height: number;
  channels: 3;
  data: Uint8Array;
} {
  const rgb = new Uint8Array(width * height * 3);
  for (let from = 0, to = 0; from < data.length; from += 4, to += 3) {
    const alpha = data[from + 3]! / 255;
    for (let channel = 0; channel < 3; channel++)
      rgb[to + channel] = Math.round(data[from + channel]! * alpha + 255 * (1 - alpha));
  }
  return { width, height, channels: 3, data: rgb };
}

/** A bitmap of Windows with 32 bits a pixel and BITMAPV4HEADER, which has a mask for the alpha channel. */
function encodeBmp({ width, height, data }: Image): Uint8Array<ArrayBuffer> {
  const headerSize = 14 + 108;
  const bytes = new Uint8Array(headerSize + data.length);
  const view = new DataView(bytes.buffer);
  bytes.set([0x42, 0x4d]);
  view.setUint32(2, bytes.length, true);
  view.setUint32(10, headerSize, true);
  view.setUint32(14, 108, true);
  view.setInt32(18, width, true);
  // A negative height: rows from the top.
  view.setInt32(22, -height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 32, true);
  view.setUint32(30, 3, true);
  view.setUint32(34, data.length, true);
  for (const [index, mask] of [0xff, 0xff00, 0xff0000, 0xff000000].entries())
    view.setUint32(54 + index * 4, mask, true);
  view.setUint32(70, 0x73524742, true);
  bytes.set(data, headerSize);
  return bytes;
}
