import type { CodecFiles } from '#core/host';
import { AnimationCanvas, dropAlpha, dropOpaqueAlpha, type FrameRectangle } from '../animation-canvas.ts';
import { readOrientation, upright } from '../exif.ts';
import { checkSize, type DecodedImage, ImageUnreadable, type Pixels } from '../pixels.ts';
import { withCodec } from '../wasm-codecs.ts';
import { type RiffChunk, read24, readRiff, writeWebp } from './container.ts';

interface Frame extends FrameRectangle {
  over: boolean;
  clear: boolean;
  parts: RiffChunk[];
}

/** Lossy and lossless, with opacity, animated. Throws `ImageUnreadable`. */
export async function decodeWebp(bytes: Uint8Array, files: CodecFiles | undefined): Promise<DecodedImage> {
  const end = 8 + new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(4, true);
  if (end > bytes.length) throw new ImageUnreadable('the WebP file is cut off');
  const still: RiffChunk[] = [];
  const animated: Frame[] = [];
  let canvas: { width: number; height: number } | undefined;
  let orientation = 1;
  for (const chunk of readRiff(bytes, 12, end)) {
    if (chunk.type === 'VP8X' && chunk.data.length >= 10)
      canvas = { width: 1 + read24(chunk.data, 4), height: 1 + read24(chunk.data, 7) };
    else if (chunk.type === 'ANMF') animated.push(readFrame(chunk.data, canvas, animated.length + 1));
    else if (chunk.type === 'EXIF') orientation = readOrientation(withoutPrefix(chunk.data));
    else if (isPixels(chunk)) still.push(chunk);
  }
  const frames =
    animated.length > 0 && canvas
      ? await drawFrames(animated, canvas, files)
      : [await decodeParts(still, files)];
  return {
    format: 'webp',
    frames: dropOpaqueAlpha(frames).map((frame) => upright(frame, orientation)),
    texts: {},
  };
}

const isPixels = ({ type }: RiffChunk): boolean => type === 'VP8 ' || type === 'VP8L' || type === 'ALPH';
/** Some writers put JPEG's prefix before EXIF data. */
const withoutPrefix = (data: Uint8Array): Uint8Array =>
  String.fromCharCode(...data.subarray(0, 6)) === 'Exif\0\0' ? data.subarray(6) : data;

function readFrame(
  data: Uint8Array,
  canvas: { width: number; height: number } | undefined,
  count: number,
): Frame {
  if (data.length < 16 || !canvas) throw new ImageUnreadable('the animation of the WebP file is damaged');
  const place = {
    x: 2 * read24(data, 0),
    y: 2 * read24(data, 3),
    width: 1 + read24(data, 6),
    height: 1 + read24(data, 9),
  };
  checkSize('WebP', canvas.width, canvas.height, count);
  if (place.x + place.width > canvas.width || place.y + place.height > canvas.height)
    throw new ImageUnreadable('a frame of the WebP file lies outside the picture');
  const parts = [...readRiff(data, 16, data.length)].filter(isPixels);
  return { ...place, over: (data[15]! & 2) === 0, clear: (data[15]! & 1) === 1, parts };
}

async function drawFrames(
  frames: Frame[],
  { width, height }: { width: number; height: number },
  files: CodecFiles | undefined,
): Promise<Pixels[]> {
  const canvas = new AnimationCanvas(width, height);
  const shown: Pixels[] = [];
  for (const frame of frames) {
    const pixels = await decodeParts(frame.parts, files);
    if (pixels.width !== frame.width || pixels.height !== frame.height)
      throw new ImageUnreadable('a frame of the WebP file has another size than it says');
    canvas.draw(pixels, frame, frame.over);
    shown.push(canvas.copy());
    if (frame.clear) canvas.clear(frame);
  }
  return shown;
}

/** One picture's parts, as a file of its own. */
async function decodeParts(parts: RiffChunk[], files: CodecFiles | undefined): Promise<Pixels> {
  const image = parts.find(({ type }) => type !== 'ALPH');
  if (!image) throw new ImageUnreadable('the WebP file holds no pixels');
  const { width, height } = pixelSize(image);
  checkSize('WebP', width, height);
  const alpha = image.type === 'VP8 ' ? parts.find(({ type }) => type === 'ALPH') : undefined;
  const file = writeWebp(alpha ? [extended(width, height), alpha, image] : [image]);
  const decoded = await withCodec(files, 'webp-decode', width * height, (codec) => {
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

function extended(width: number, height: number): RiffChunk {
  const data = new Uint8Array(10);
  data[0] = 0x10;
  data[4] = (width - 1) & 255;
  data[5] = ((width - 1) >> 8) & 255;
  data[6] = (width - 1) >> 16;
  data[7] = (height - 1) & 255;
  data[8] = ((height - 1) >> 8) & 255;
  data[9] = (height - 1) >> 16;
  return { type: 'VP8X', data };
}
