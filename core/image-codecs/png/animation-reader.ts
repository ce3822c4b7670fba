import { dropOpaqueAlpha } from '../alpha.ts';
import { AnimationCanvas, type FrameRectangle } from '../animation-canvas.ts';
import { checkSize, ImageUnreadable, type Pixels } from '../pixels.ts';
import { type PngColors, pixelsFromSamples } from './colors.ts';
import type { PngHeader } from './header.ts';
import { inflateTo } from './inflate.ts';
import { rawSize, readSamples } from './scanlines.ts';

/** The chunk fcTL with the pixels that belong to it. */
interface FrameControl extends FrameRectangle {
  /** How the canvas changes after the frame: see `DISPOSAL`. */
  disposal: number;
  blends: boolean;
  /** Compressed pixels. Undefined: those of the still image. */
  parts: Uint8Array[] | undefined;
}

const DISPOSAL = { clear: 1, restore: 2 };

/** Reads the frames of an animated PNG (PNG, third edition, section 11.3.6). Frames cover parts of the canvas. */
export class AnimationReader {
  readonly #controls: FrameControl[] = [];

  /** @param data the chunk acTL */
  constructor(
    private readonly header: PngHeader,
    data: Uint8Array,
  ) {
    if (data.length < 8) throw new ImageUnreadable('the animation of the PNG file is damaged');
    const frames = new DataView(data.buffer, data.byteOffset).getUint32(0);
    checkSize('PNG', header.width, header.height, frames);
  }

  /** Reads a chunk fcTL, with which the next frame begins. */
  addFrameControl(data: Uint8Array): void {
    if (data.length < 26) throw new ImageUnreadable('the animation of the PNG file is damaged');
    const view = new DataView(data.buffer, data.byteOffset);
    const rectangle = {
      width: view.getUint32(4),
      height: view.getUint32(8),
      x: view.getUint32(12),
      y: view.getUint32(16),
    };
    if (
      rectangle.width === 0 ||
      rectangle.height === 0 ||
      rectangle.x + rectangle.width > this.header.width ||
      rectangle.y + rectangle.height > this.header.height
    )
      throw new ImageUnreadable('a frame of the PNG file lies outside the image');
    this.#controls.push({ ...rectangle, disposal: data[24]!, blends: data[25] === 1, parts: [] });
    checkSize('PNG', this.header.width, this.header.height, this.#controls.length);
  }

  /**
   * Must be called where the pixels of the still image begin. They are the first frame if a chunk fcTL came before
   * them.
   */
  startStillImage(): void {
    const last = this.#controls.at(-1);
    if (last && this.#controls.length === 1) last.parts = undefined;
  }

  /** A chunk fdAT: a sequence number of 4 bytes, then pixels of the last frame. */
  addData(data: Uint8Array): void {
    this.#controls.at(-1)?.parts?.push(data.subarray(4));
  }

  /** @param stillImage the compressed pixels of the still image */
  frames(stillImage: readonly Uint8Array[], colors: PngColors): Pixels[] {
    const canvas = new AnimationCanvas(this.header.width, this.header.height);
    const frames: Pixels[] = [];
    for (const control of this.#controls) {
      const header = { ...this.header, width: control.width, height: control.height };
      const samples = readSamples(inflateTo(control.parts ?? stillImage, rawSize(header)), header);
      const before = control.disposal === DISPOSAL.restore ? canvas.copy() : undefined;
      canvas.draw(pixelsFromSamples(samples, header, colors), control, control.blends);
      frames.push(canvas.copy());
      if (control.disposal === DISPOSAL.clear) canvas.clear(control);
      if (before) canvas.restore(before);
    }
    return dropOpaqueAlpha(frames);
  }
}
