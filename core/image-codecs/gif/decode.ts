/// <reference path="./omggif.d.ts" />
import { dropOpaqueAlpha } from '../alpha.ts';
import { AnimationCanvas } from '../animation-canvas.ts';
import { checkSize, type DecodedImage, ImageUnreadable, type Pixels } from '../pixels.ts';
import { checkLzwCodes } from './lzw-codes.ts';

/** The GIF89a disposal methods that change the canvas after a frame. */
const DISPOSAL = { clear: 2, restore: 3 };

/**
 * Decodes all frames, each as the canvas shows it.
 * @throws `ImageUnreadable`
 */
export async function decodeGif(bytes: Uint8Array): Promise<DecodedImage> {
  const { GifReader } = await import('omggif');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 13) throw new ImageUnreadable('the GIF file is cut off');
  checkSize('GIF', view.getUint16(6, true), view.getUint16(8, true));
  try {
    const reader = new GifReader(bytes);
    const { width, height } = reader;
    const count = reader.numFrames();
    if (count === 0) throw new ImageUnreadable('the GIF file holds no pixels');
    checkSize('GIF', width, height, count);
    const canvas = new AnimationCanvas(width, height);
    const frames: Pixels[] = [];
    for (let index = 0; index < count; index++) {
      const frame = reader.frameInfo(index);
      if (frame.x + frame.width > width || frame.y + frame.height > height)
        throw new ImageUnreadable('a frame of the GIF file lies outside the image');
      checkLzwCodes(bytes, frame.data_offset);
      const before = canvas.copy();
      const drawn = before.data.slice();
      reader.decodeAndBlitFrameRGBA(index, drawn);
      canvas.restore({ ...before, data: drawn });
      frames.push(canvas.copy());
      if (frame.disposal === DISPOSAL.clear) canvas.clear(frame);
      if (frame.disposal === DISPOSAL.restore) canvas.restore(before);
    }
    return { format: 'gif', frames: dropOpaqueAlpha(frames), texts: {} };
  } catch (cause) {
    if (cause instanceof ImageUnreadable) throw cause;
    throw new ImageUnreadable('the GIF file is damaged or cut off', { cause });
  }
}
