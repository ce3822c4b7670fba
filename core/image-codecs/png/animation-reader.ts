/** Animated PNG (PNG, third edition, sections 11.3.6): frames are parts of the picture, drawn over one another. */
import { AnimationCanvas, dropOpaqueAlpha, type FrameRectangle } from '../animation-canvas.ts';
import { checkSize, ImageUnreadable, type Pixels } from '../pixels.ts';
import { type PngColors, toPixels } from './colors.ts';
import type { PngHeader } from './header.ts';
import { inflateTo } from './inflate.ts';
import { rawSize, readSamples } from './scanlines.ts';

interface Control extends FrameRectangle {
  dispose: number;
  over: boolean;
  /** undefined: the file's own pixels. */
  parts: Uint8Array[] | undefined;
}

export class AnimationReader {
  readonly #controls: Control[] = [];

  /** `data`: of the acTL chunk. */
  constructor(
    private readonly header: PngHeader,
    data: Uint8Array,
  ) {
    if (data.length < 8) throw new ImageUnreadable('the animation of the PNG file is damaged');
    const frames = new DataView(data.buffer, data.byteOffset).getUint32(0);
    checkSize('PNG', header.width, header.height, frames);
  }

  control(data: Uint8Array): void {
    if (data.length < 26) throw new ImageUnreadable('the animation of the PNG file is damaged');
    const view = new DataView(data.buffer, data.byteOffset);
    const place = {
      width: view.getUint32(4),
      height: view.getUint32(8),
      x: view.getUint32(12),
      y: view.getUint32(16),
    };
    if (
      place.width === 0 ||
      place.height === 0 ||
      place.x + place.width > this.header.width ||
      place.y + place.height > this.header.height
    )
      throw new ImageUnreadable('a frame of the PNG file lies outside the picture');
    this.#controls.push({ ...place, dispose: data[24]!, over: data[25] === 1, parts: [] });
    checkSize('PNG', this.header.width, this.header.height, this.#controls.length);
  }

  /** The file's own pixels begin: they are the first frame when it was announced. */
  startData(): void {
    const last = this.#controls.at(-1);
    if (last && this.#controls.length === 1) last.parts = undefined;
  }

  data(data: Uint8Array): void {
    this.#controls.at(-1)?.parts?.push(data.subarray(4));
  }

  frames(own: readonly Uint8Array[], colors: PngColors): Pixels[] {
    const canvas = new AnimationCanvas(this.header.width, this.header.height);
    const frames: Pixels[] = [];
    for (const control of this.#controls) {
      const header = { ...this.header, width: control.width, height: control.height };
      const samples = readSamples(inflateTo(control.parts ?? own, rawSize(header)), header);
      const before = control.dispose === 2 ? canvas.copy() : undefined;
      canvas.draw(toPixels(samples, header, colors), control, control.over);
      frames.push(canvas.copy());
      if (control.dispose === 1) canvas.clear(control);
      if (before) canvas.restore(before);
    }
    return dropOpaqueAlpha(frames);
  }
}
