import type { Pixels } from './pixels.ts';

/** Where a frame lies on its canvas, in pixels from the top left. */
export interface FrameRectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The RGBA canvas on which the frames of an animation are drawn over one another. It begins transparent. */
export class AnimationCanvas {
  readonly #data: Uint8Array;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.#data = new Uint8Array(width * height * 4);
  }

  /**
   * @param blends whether the frame is blended with the canvas by its opacity; otherwise it replaces the canvas
   */
  draw(frame: Pixels, rectangle: FrameRectangle, blends: boolean): void {
    for (let row = 0; row < rectangle.height; row++)
      for (let column = 0; column < rectangle.width; column++) {
        const from = (row * rectangle.width + column) * frame.channels;
        const to = ((rectangle.y + row) * this.width + rectangle.x + column) * 4;
        const alpha = frame.channels === 4 ? frame.data[from + 3]! : 255;
        if (!blends || alpha === 255) {
          for (let channel = 0; channel < 3; channel++)
            this.#data[to + channel] = frame.data[from + channel]!;
          this.#data[to + 3] = alpha;
        } else if (alpha > 0) this.#blend(to, frame.data, from, alpha);
      }
  }

  /** The operator "over" for colors that are not premultiplied. */
  #blend(to: number, source: Uint8Array, from: number, alpha: number): void {
    const below = (this.#data[to + 3]! * (255 - alpha)) / 255;
    const total = alpha + below;
    for (let channel = 0; channel < 3; channel++)
      this.#data[to + channel] = Math.round(
        (source[from + channel]! * alpha + this.#data[to + channel]! * below) / total,
      );
    this.#data[to + 3] = Math.round(total);
  }

  clear(rectangle: FrameRectangle): void {
    for (let row = 0; row < rectangle.height; row++) {
      const start = ((rectangle.y + row) * this.width + rectangle.x) * 4;
      this.#data.fill(0, start, start + rectangle.width * 4);
    }
  }

  /** The canvas as it is now. */
  copy(): Pixels {
    return { width: this.width, height: this.height, channels: 4, data: this.#data.slice() };
  }

  restore(pixels: Pixels): void {
    this.#data.set(pixels.data);
  }
}
