import { describe, expect, it } from 'vitest';
import { AnimationCanvas } from './animation-canvas.ts';
import type { Pixels } from './pixels.ts';

const frame = (channels: 3 | 4, ...data: number[]): Pixels => ({
  width: 1,
  height: 1,
  channels,
  data: Uint8Array.from(data),
});
const at = (x: number, y: number, width = 1, height = 1) => ({ x, y, width, height });
const pixel = (canvas: AnimationCanvas, x: number, y: number) =>
  [...canvas.copy().data].slice((y * canvas.width + x) * 4, (y * canvas.width + x) * 4 + 4);

describe('AnimationCanvas', () => {
  it('begins transparent and takes a frame at its rectangle', () => {
    const canvas = new AnimationCanvas(3, 2);
    canvas.draw(frame(3, 10, 20, 30), at(2, 1), false);
    expect(pixel(canvas, 2, 1)).toEqual([10, 20, 30, 255]);
    expect([...canvas.copy().data].filter((byte) => byte > 0)).toHaveLength(4);
  });

  it('draws every row of a frame', () => {
    const canvas = new AnimationCanvas(2, 3);
    const data = Uint8Array.from([1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]);
    canvas.draw({ width: 2, height: 2, channels: 3, data }, at(0, 1, 2, 2), true);
    expect([
      pixel(canvas, 0, 1)[0],
      pixel(canvas, 1, 1)[0],
      pixel(canvas, 0, 2)[0],
      pixel(canvas, 1, 2)[0],
    ]).toEqual([1, 2, 3, 4]);
  });

  it('replaces the canvas, opacity included, when it does not blend', () => {
    const canvas = new AnimationCanvas(1, 1);
    canvas.draw(frame(3, 200, 200, 200), at(0, 0), false);
    canvas.draw(frame(4, 1, 2, 3, 100), at(0, 0), false);
    expect(pixel(canvas, 0, 0)).toEqual([1, 2, 3, 100]);
  });

  it('mixes a blending frame with an opaque canvas by its opacity', () => {
    const canvas = new AnimationCanvas(1, 1);
    canvas.draw(frame(3, 0, 100, 255), at(0, 0), false);
    canvas.draw(frame(4, 255, 100, 0, 51), at(0, 0), true);
    // 51 / 255 is a fifth.
    expect(pixel(canvas, 0, 0)).toEqual([51, 100, 204, 255]);
  });

  it('weighs the colors by both opacities', () => {
    const canvas = new AnimationCanvas(1, 1);
    canvas.draw(frame(4, 0, 0, 0, 128), at(0, 0), false);
    canvas.draw(frame(4, 255, 255, 255, 128), at(0, 0), true);
    // below = 128 * 127 / 255 = 63.7; total = 191.7; 255 * 128 / 191.7 = 170.2
    expect(pixel(canvas, 0, 0)).toEqual([170, 170, 170, 192]);
  });

  it('leaves the canvas under fully transparent pixels', () => {
    const canvas = new AnimationCanvas(1, 1);
    canvas.draw(frame(3, 5, 6, 7), at(0, 0), false);
    canvas.draw(frame(4, 90, 90, 90, 0), at(0, 0), true);
    expect(pixel(canvas, 0, 0)).toEqual([5, 6, 7, 255]);
  });

  it('clears a rectangle, and restores a copy', () => {
    const canvas = new AnimationCanvas(2, 2);
    canvas.draw(
      { width: 2, height: 2, channels: 3, data: new Uint8Array(12).fill(9) },
      at(0, 0, 2, 2),
      false,
    );
    const before = canvas.copy();
    canvas.clear(at(1, 0, 1, 2));
    expect([
      pixel(canvas, 0, 0)[3],
      pixel(canvas, 1, 0)[3],
      pixel(canvas, 0, 1)[3],
      pixel(canvas, 1, 1)[3],
    ]).toEqual([255, 0, 255, 0]);
    canvas.restore(before);
    expect(canvas.copy()).toEqual(before);
  });
});
