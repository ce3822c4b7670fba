import type { CodecFiles } from '#core/host';
import { withAlpha } from '../alpha.ts';
import { dropAlpha } from '../animation-canvas.ts';
import { upright } from '../exif.ts';
import { type DecodedImage, ImageUnreadable, type Pixels } from '../pixels.ts';
import { withCodec } from '../wasm-codecs.ts';
import { readJpegStructure } from './structure.ts';

/** Baseline and progressive, turned as its EXIF data says. Throws `ImageUnreadable`. */
export async function decodeJpeg(bytes: Uint8Array, files: CodecFiles | undefined): Promise<DecodedImage> {
  const { width, height, components, orientation } = readJpegStructure(bytes);
  if (components !== 1 && components !== 3)
    throw new ImageUnreadable(
      `the JPEG file has ${components} colour channels (CMYK): save it as an RGB picture first`,
    );
  const decoded = await withCodec(files, 'jpeg-decode', width * height, (codec) => {
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

/** Opacity is left off. `quality`: 1 to 100. */
export async function encodeJpeg(
  pixels: Pixels,
  quality: number,
  files: CodecFiles | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height } = pixels;
  if (width > 65535 || height > 65535)
    throw new RangeError(`a JPEG file holds at most 65535 pixels a side, not ${width} x ${height}`);
  const options = { ...OPTIONS, quality: Math.min(100, Math.max(1, quality)) };
  return withCodec(files, 'jpeg-encode', width * height, (codec) => {
    const made = codec.encode(withAlpha(dropAlpha(pixels)), width, height, options);
    if (!made) throw new Error('the JPEG codec gave no picture');
    return new Uint8Array(made);
  });
}

/** Fast rather than small: without the searches of mozjpeg. */
const OPTIONS = {
  baseline: false,
  arithmetic: false,
  progressive: false,
  optimize_coding: false,
  smoothing: 0,
  color_space: 3,
  quant_table: 0,
  trellis_multipass: false,
  trellis_opt_zero: false,
  trellis_opt_table: false,
  trellis_loops: 1,
  auto_subsample: true,
  chroma_subsample: 2,
  separate_chroma_quality: false,
  chroma_quality: 75,
};
