/// <reference path="./omggif.d.ts" />
import { AnimationCanvas, dropOpaqueAlpha } from '../animation-canvas.ts';
import { checkSize, type DecodedImage, ImageUnreadable, type Pixels } from '../pixels.ts';

/** All frames, drawn over one another. Throws `ImageUnreadable`. */
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
      const place = reader.frameInfo(index);
      if (place.x + place.width > width || place.y + place.height > height)
        throw new ImageUnreadable('a frame of the GIF file lies outside the picture');
      const before = canvas.copy();
      const drawn = before.data.slice();
      reader.decodeAndBlitFrameRGBA(index, drawn);
      canvas.restore({ ...before, data: drawn });
      frames.push(canvas.copy());
      if (place.disposal === 2) canvas.clear(place);
      if (place.disposal === 3) canvas.restore(before);
    }
    return { format: 'gif', frames: dropOpaqueAlpha(frames), texts: {} };
  } catch (cause) {
    if (cause instanceof ImageUnreadable) throw cause;
    throw new ImageUnreadable('the GIF file is damaged or cut off', { cause });
  }
}
