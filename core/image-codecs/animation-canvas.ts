/** Frames of an animation are drawn one over the other. */
import type { Pixels } from './pixels.ts';

export interface FrameRectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

export class AnimationCanvas {
  readonly #data: Uint8Array;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.#data = new Uint8Array(width * height * 4);
  }

  /** `over`: through the frame's opacity; otherwise it replaces what was there. */
  draw(frame: Pixels, place: FrameRectangle, over: boolean): void {
    for (let row = 0; row < place.height; row++)
      for (let column = 0; column < place.width; column++) {
        const from = (row * place.width + column) * frame.channels;
        const to = ((place.y + row) * this.width + place.x + column) * 4;
        const alpha = frame.channels === 4 ? frame.data[from + 3]! : 255;
        if (!over || alpha === 255) {
          for (let channel = 0; channel < 3; channel++)
            this.#data[to + channel] = frame.data[from + channel]!;
          this.#data[to + 3] = alpha;
        } else if (alpha > 0) this.#mix(to, frame.data, from, alpha);
      }
  }

  #mix(to: number, source: Uint8Array, from: number, alpha: number): void {
    const below = (this.#data[to + 3]! * (255 - alpha)) / 255;
    const total = alpha + below;
    for (let channel = 0; channel < 3; channel++)
      this.#data[to + channel] = Math.round(
        (source[from + channel]! * alpha + this.#data[to + channel]! * below) / total,
      );
    this.#data[to + 3] = Math.round(total);
  }

  clear(place: FrameRectangle): void {
    for (let row = 0; row < place.height; row++) {
      const start = ((place.y + row) * this.width + place.x) * 4;
      this.#data.fill(0, start, start + place.width * 4);
    }
  }

  /** What it shows now. */
  copy(): Pixels {
    return { width: this.width, height: this.height, channels: 4, data: this.#data.slice() };
  }

  restore(pixels: Pixels): void {
    this.#data.set(pixels.data);
  }
}

/** Without opacity when every pixel of every frame is opaque. */
export function dropOpaqueAlpha(frames: Pixels[]): Pixels[] {
  for (const { data, channels } of frames) {
    if (channels === 3) continue;
    for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return frames;
  }
  return frames.map(dropAlpha);
}

/** The colours alone. */
export function dropAlpha(pixels: Pixels): Pixels {
  if (pixels.channels === 3) return pixels;
  const data = new Uint8Array(pixels.width * pixels.height * 3);
  for (let from = 0, to = 0; to < data.length; from += 4, to += 3) {
    data[to] = pixels.data[from]!;
    data[to + 1] = pixels.data[from + 1]!;
    data[to + 2] = pixels.data[from + 2]!;
  }
  return { ...pixels, channels: 3, data };
}
