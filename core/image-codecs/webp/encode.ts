import type { CodecFiles } from '#core/host';
import { withAlpha } from '../alpha.ts';
import { writeExif } from '../exif.ts';
import type { Pixels } from '../pixels.ts';
import { withCodec } from '../wasm-codecs.ts';
import { type RiffChunk, readRiff, write24, writeRiff, writeWebp } from './container.ts';

/** Settings of the WebP encoder. */
export interface WebpOptions {
  /** 0 to 100; values beyond are clamped. For lossless files: the effort. */
  quality: number;
  lossless?: boolean;
  /** From 0, fast, to 6, small. Default: 4. */
  method?: number;
}

const MAX_SIDE = 16_383;

/**
 * Encodes an image as WebP.
 * @throws `RangeError` for more than 16,383 pixels a side; Error without a codec
 */
export async function encodeWebp(
  pixels: Pixels,
  options: WebpOptions,
  codecs: CodecFiles | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height } = pixels;
  if (width > MAX_SIDE || height > MAX_SIDE)
    throw new RangeError(`a WebP file holds at most ${MAX_SIDE} pixels a side, not ${width} x ${height}`);
  return withCodec(codecs, 'webp-encode', width * height, (codec) => {
    const file = codec.encode(withAlpha(pixels), width, height, {
      ...OPTIONS,
      quality: Math.min(100, Math.max(0, options.quality)),
      method: options.method ?? 4,
      lossless: options.lossless ? 1 : 0,
    });
    if (!file) throw new Error('the WebP codec returned no image');
    return new Uint8Array(file);
  });
}

/**
 * Encodes frames of one size as an animation that repeats for ever. A single frame becomes a still image.
 * @param options `milliseconds` a frame; `exif`: texts by tag
 * @param onFrame called after each frame with their number so far
 */
export async function encodeAnimatedWebp(
  frames: readonly Pixels[],
  options: WebpOptions & { milliseconds: number; exif?: ReadonlyMap<number, string> },
  codecs: CodecFiles | undefined,
  onFrame?: (encoded: number) => Promise<void>,
): Promise<Uint8Array<ArrayBuffer>> {
  const first = frames[0]!;
  const encoded: RiffChunk[][] = [];
  for (const frame of frames) {
    const file = await encodeWebp(frame, options, codecs);
    encoded.push([...readRiff(file, 12, file.length)].filter(({ type }) => type !== 'VP8X'));
    await onFrame?.(encoded.length);
  }
  const exif = options.exif && options.exif.size > 0 ? writeExif(options.exif) : undefined;
  const isAnimated = frames.length > 1;
  const header = new Uint8Array(10);
  header[0] = (isAnimated ? 2 : 0) | (exif ? 8 : 0) | (first.channels === 4 ? 16 : 0);
  write24(header, 4, first.width - 1);
  write24(header, 7, first.height - 1);
  const body: RiffChunk[] = isAnimated
    ? [
        { type: 'ANIM', data: new Uint8Array(6) },
        ...encoded.map((parts) => ({ type: 'ANMF', data: frameData(first, parts, options.milliseconds) })),
      ]
    : encoded[0]!;
  return writeWebp([
    { type: 'VP8X', data: header },
    ...body,
    ...(exif ? [{ type: 'EXIF', data: exif }] : []),
  ]);
}

function frameData({ width, height }: Pixels, parts: RiffChunk[], milliseconds: number): Uint8Array {
  const pixels = writeRiff(parts);
  const data = new Uint8Array(16 + pixels.length);
  write24(data, 6, width - 1);
  write24(data, 9, height - 1);
  write24(data, 12, Math.min(0xffffff, Math.max(0, Math.round(milliseconds))));
  // Each frame covers the canvas and replaces the frame before.
  data[15] = 2;
  data.set(pixels, 16);
  return data;
}

/** libwebp's own defaults. */
const OPTIONS = {
  quality: 75,
  target_size: 0,
  target_PSNR: 0,
  method: 4,
  sns_strength: 50,
  filter_strength: 60,
  filter_sharpness: 0,
  filter_type: 1,
  partitions: 0,
  segments: 4,
  pass: 1,
  show_compressed: 0,
  preprocessing: 0,
  autofilter: 0,
  partition_limit: 0,
  alpha_compression: 1,
  alpha_filtering: 1,
  alpha_quality: 100,
  lossless: 0,
  exact: 0,
  image_hint: 0,
  emulate_jpeg_size: 0,
  thread_level: 0,
  low_memory: 0,
  near_lossless: 100,
  use_delta_palette: 0,
  use_sharp_yuv: 0,
};
