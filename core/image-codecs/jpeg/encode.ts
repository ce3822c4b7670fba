import type { CodecFiles } from '#core/host';
import { dropAlpha, withAlpha } from '../alpha.ts';
import type { Pixels } from '../pixels.ts';
import { withCodec } from '../wasm-codecs.ts';

/** Options of mozjpeg. They favor speed over size: the searches for smaller files are off. */
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

const MAX_SIDE = 65_535;

/**
 * Encodes an image as JPEG. Its opacity is lost.
 * @param quality 1 to 100; values beyond are clamped
 * @throws `RangeError` for more than 65,535 pixels a side; Error without a codec
 */
export async function encodeJpeg(
  pixels: Pixels,
  quality: number,
  codecs: CodecFiles | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height } = pixels;
  if (width > MAX_SIDE || height > MAX_SIDE)
    throw new RangeError(`a JPEG file holds at most ${MAX_SIDE} pixels a side, not ${width} x ${height}`);
  const options = { ...OPTIONS, quality: Math.min(100, Math.max(1, quality)) };
  return withCodec(codecs, 'jpeg-encode', width * height, (codec) => {
    const file = codec.encode(withAlpha(dropAlpha(pixels)), width, height, options);
    if (!file) throw new Error('the JPEG codec returned no image');
    return new Uint8Array(file);
  });
}
