import type { CodecFiles } from '#core/host';
import { dropAlpha } from '../alpha.ts';
import { upright } from '../exif.ts';
import { type DecodedImage, ImageUnreadable } from '../pixels.ts';
import { withCodec } from '../wasm-codecs.ts';
import { readJpegStructure } from './structure.ts';

/**
 * Decodes baseline and progressive JPEG files, upright as their EXIF data says.
 * @throws `ImageUnreadable`
 */
export async function decodeJpeg(bytes: Uint8Array, codecs: CodecFiles | undefined): Promise<DecodedImage> {
  const { width, height, components, orientation } = readJpegStructure(bytes);
  if (components !== 1 && components !== 3)
    throw new ImageUnreadable(
      `the JPEG file has ${components} color channels (CMYK): save it as an RGB image first`,
    );
  const decoded = await withCodec(codecs, 'jpeg-decode', width * height, (codec) => {
    try {
      return codec.decode(bytes, false);
    } catch (cause) {
      throw new ImageUnreadable('the pixels of the JPEG file are damaged', { cause });
    }
  });
  if (decoded?.width !== width || decoded.height !== height)
    throw new ImageUnreadable('the pixels of the JPEG file are damaged');
  const pixels = dropAlpha({ width, height, channels: 4, data: new Uint8Array(decoded.data) });
  return { format: 'jpeg', frames: [upright(pixels, orientation)], texts: {} };
}
