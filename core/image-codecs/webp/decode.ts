import type { CodecFiles } from '#core/host';
import { dropAlpha, dropOpaqueAlpha } from '../alpha.ts';
import { AnimationCanvas, type FrameRectangle } from '../animation-canvas.ts';
import { readOrientation, upright } from '../exif.ts';
import { checkSize, type DecodedImage, ImageUnreadable, type Pixels } from '../pixels.ts';
import { withCodec } from '../wasm-codecs.ts';
import { type RiffChunk, read24, readRiff, write24, writeWebp } from './container.ts';

/** A chunk ANMF. */
interface AnimationFrame extends FrameRectangle {
  blends: boolean;
  /** The frame's rectangle becomes transparent before the next frame. */
  isCleared: boolean;
  parts: RiffChunk[];
}

/**
 * Decodes lossy, lossless and animated WebP files, with opacity, upright as their EXIF data says.
 * @throws `ImageUnreadable`
 */
export async function decodeWebp(bytes: Uint8Array, codecs: CodecFiles | undefined): Promise<DecodedImage> {
  const end = 8 + new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(4, true);
  if (end > bytes.length) throw new ImageUnreadable('the WebP file is cut off');
  const still: RiffChunk[] = [];
  const animated: AnimationFrame[] = [];
  let canvas: { width: number; height: number } | undefined;
  let orientation = 1;
  for (const chunk of readRiff(bytes, 12, end)) {
    if (chunk.type === 'VP8X' && chunk.data.length >= 10)
      canvas = { width: 1 + read24(chunk.data, 4), height: 1 + read24(chunk.data, 7) };
    else if (chunk.type === 'ANMF') animated.push(readFrame(chunk.data, canvas, animated.length + 1));
    else if (chunk.type === 'EXIF') orientation = readOrientation(withoutPrefix(chunk.data));
    else if (isPixelChunk(chunk)) still.push(chunk);
  }
  const frames =
    animated.length > 0 && canvas
      ? await drawFrames(animated, canvas, codecs)
      : [await decodeParts(still, codecs)];
  return {
    format: 'webp',
    frames: dropOpaqueAlpha(frames).map((frame) => upright(frame, orientation)),
    texts: {},
  };
}

const isPixelChunk = ({ type }: RiffChunk): boolean => type === 'VP8 ' || type === 'VP8L' || type === 'ALPH';

/** Some writers put JPEG's prefix before EXIF data. */
const withoutPrefix = (data: Uint8Array): Uint8Array =>
  String.fromCharCode(...data.subarray(0, 6)) === 'Exif\0\0' ? data.subarray(6) : data;

/** @param count how many frames the file has so far, with this one */
function readFrame(
  data: Uint8Array,
  canvas: { width: number; height: number } | undefined,
  count: number,
): AnimationFrame {
  if (data.length < 16 || !canvas) throw new ImageUnreadable('the animation of the WebP file is damaged');
  const rectangle = {
    x: 2 * read24(data, 0),
    y: 2 * read24(data, 3),
    width: 1 + read24(data, 6),
    height: 1 + read24(data, 9),
  };
  checkSize('WebP', canvas.width, canvas.height, count);
  if (rectangle.x + rectangle.width > canvas.width || rectangle.y + rectangle.height > canvas.height)
    throw new ImageUnreadable('a frame of the WebP file lies outside the image');
  const parts = [...readRiff(data, 16, data.length)].filter(isPixelChunk);
  return { ...rectangle, blends: (data[15]! & 2) === 0, isCleared: (data[15]! & 1) === 1, parts };
}

async function drawFrames(
  frames: AnimationFrame[],
  { width, height }: { width: number; height: number },
  codecs: CodecFiles | undefined,
): Promise<Pixels[]> {
  const canvas = new AnimationCanvas(width, height);
  const shown: Pixels[] = [];
  for (const frame of frames) {
    const pixels = await decodeParts(frame.parts, codecs);
    if (pixels.width !== frame.width || pixels.height !== frame.height)
      throw new ImageUnreadable('a frame of the WebP file has another size than it says');
    canvas.draw(pixels, frame, frame.blends);
    shown.push(canvas.copy());
    if (frame.isCleared) canvas.clear(frame);
  }
  return shown;
}

/** Decodes the chunks of one image. The codec reads whole files, so they become a file of their own. */
async function decodeParts(parts: RiffChunk[], codecs: CodecFiles | undefined): Promise<Pixels> {
  const image = parts.find(({ type }) => type !== 'ALPH');
  if (!image) throw new ImageUnreadable('the WebP file holds no pixels');
  const { width, height } = pixelSize(image);
  checkSize('WebP', width, height);
  const alpha = image.type === 'VP8 ' ? parts.find(({ type }) => type === 'ALPH') : undefined;
  const file = writeWebp(alpha ? [extendedHeader(width, height), alpha, image] : [image]);
  const decoded = await withCodec(codecs, 'webp-decode', width * height, (codec) => {
    try {
      return codec.decode(file);
    } catch (cause) {
      throw new ImageUnreadable('the pixels of the WebP file are damaged', { cause });
    }
  });
  if (decoded?.width !== width || decoded.height !== height)
    throw new ImageUnreadable('the pixels of the WebP file are damaged');
  const pixels: Pixels = { width, height, channels: 4, data: new Uint8Array(decoded.data) };
  return alpha || image.type === 'VP8L' ? pixels : dropAlpha(pixels);
}

/** The size in the header of the compressed pixels (lossless, or a key frame of VP8). */
function pixelSize({ type, data }: RiffChunk): { width: number; height: number } {
  if (type === 'VP8L' && data.length >= 5 && data[0] === 0x2f) {
    const bits = new DataView(data.buffer, data.byteOffset).getUint32(1, true);
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
  }
  if (type === 'VP8 ' && data.length >= 10 && read24(data, 3) === 0x2a019d) {
    const view = new DataView(data.buffer, data.byteOffset);
    return { width: view.getUint16(6, true) & 0x3fff, height: view.getUint16(8, true) & 0x3fff };
  }
  throw new ImageUnreadable('the pixels of the WebP file are damaged');
}

/** The chunk VP8X that announces opacity. */
function extendedHeader(width: number, height: number): RiffChunk {
  const data = new Uint8Array(10);
  data[0] = 0x10;
  write24(data, 4, width - 1);
  write24(data, 7, height - 1);
  return { type: 'VP8X', data };
}
