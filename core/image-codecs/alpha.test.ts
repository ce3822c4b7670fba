import { expect, it } from 'vitest';
import { dropAlpha, dropOpaqueAlpha, withAlpha } from './alpha.ts';
import type { Pixels } from './pixels.ts';

const pixels = (channels: 3 | 4, ...data: number[]): Pixels => ({
  width: data.length / channels,
  height: 1,
  channels,
  data: Uint8Array.from(data),
});

it('withAlpha makes RGB opaque and returns RGBA itself', () => {
  expect([...withAlpha(pixels(3, 1, 2, 3, 4, 5, 6))]).toEqual([1, 2, 3, 255, 4, 5, 6, 255]);
  const rgba = pixels(4, 1, 2, 3, 9);
  expect(withAlpha(rgba)).toBe(rgba.data);
});

it('dropAlpha keeps the colors of transparent pixels', () => {
  expect(dropAlpha(pixels(4, 1, 2, 3, 0, 4, 5, 6, 128))).toEqual(pixels(3, 1, 2, 3, 4, 5, 6));
  const rgb = pixels(3, 1, 2, 3);
  expect(dropAlpha(rgb)).toBe(rgb);
});

it('dropOpaqueAlpha needs every pixel of every frame to be opaque', () => {
  const opaque = pixels(4, 1, 2, 3, 255);
  const clear = pixels(4, 1, 2, 3, 254);
  expect(dropOpaqueAlpha([opaque, opaque])).toEqual([pixels(3, 1, 2, 3), pixels(3, 1, 2, 3)]);
  expect(dropOpaqueAlpha([opaque, clear])).toEqual([opaque, clear]);
  expect(dropOpaqueAlpha([pixels(3, 7, 8, 9), clear])[1]).toBe(clear);
});
