/** The image that an edit begins with, and what of it may change. */
import type { ImageSize } from './aspect-ratios.ts';

/** A line of the brush. Positions and widths are pixels of the image. */
export interface BrushLine {
  width: number;
  points: [x: number, y: number][];
}

export interface StartImage {
  bitmap: ImageBitmap;
  /** Where the brush was. Without a line the whole image may change. */
  lines: readonly BrushLine[];
  /** How much changes, from 0 to 1. */
  strength: number;
}

/** Much of the image changes, but not its composition. */
export const USUAL_STRENGTH = 0.6;

/** The largest part of the bitmap with the shape of `size`, in its middle. Lengths are pixels of the bitmap. */
export function middlePart(bitmap: ImageSize, size: ImageSize): ImageSize & { x: number; y: number } {
  const scale = Math.min(bitmap.width / size.width, bitmap.height / size.height);
  const [width, height] = [size.width * scale, size.height * scale];
  return { x: (bitmap.width - width) / 2, y: (bitmap.height - height) / 2, width, height };
}

/** Draws the middle part of the bitmap over the whole canvas. */
export function drawBitmap(context: Canvas, { bitmap }: StartImage, size: ImageSize): void {
  const { x, y, width, height } = middlePart(bitmap, size);
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, x, y, width, height, 0, 0, size.width, size.height);
}

/** Draws the lines of the brush over a canvas that shows the middle part. */
export function drawLines(context: Canvas, { bitmap, lines }: StartImage, size: ImageSize): void {
  const part = middlePart(bitmap, size);
  const scale = size.width / part.width;
  context.lineCap = context.lineJoin = 'round';
  for (const { width, points } of lines) {
    const [start] = points;
    if (!start) continue;
    context.lineWidth = width * scale;
    context.beginPath();
    // A line to its own start is a dot.
    for (const [x, y] of [start, ...points]) context.lineTo((x - part.x) * scale, (y - part.y) * scale);
    context.stroke();
  }
}

/** PNG files of this size: the bitmap, and a mask that is transparent where the image may change. */
export async function startFiles(start: StartImage, size: ImageSize): Promise<{ image: Blob; mask?: Blob }> {
  const image = await pngOf(size, (context) => drawBitmap(context, start, size));
  if (start.lines.length === 0) return { image };
  const mask = await pngOf(size, (context) => {
    context.fillRect(0, 0, size.width, size.height);
    context.globalCompositeOperation = 'destination-out';
    drawLines(context, start, size);
  });
  return { image, mask };
}

type Canvas = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

function pngOf({ width, height }: ImageSize, draw: (context: Canvas) => void): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, height);
  draw(canvas.getContext('2d')!);
  return canvas.convertToBlob({ type: 'image/png' });
}
