/** Adds the alpha channel to pixels, or removes it: always, or only where every pixel is opaque. */
import type { Pixels } from './pixels.ts';

/** The pixels as RGBA bytes, opaque when they have no opacity. RGBA pixels are returned as they are, not copied. */
export function withAlpha({ width, height, channels, data }: Pixels): Uint8Array {
  if (channels === 4) return data;
  const rgba = new Uint8Array(width * height * 4);
  for (let from = 0, to = 0; to < rgba.length; from += 3, to += 4) {
    rgba[to] = data[from]!;
    rgba[to + 1] = data[from + 1]!;
    rgba[to + 2] = data[from + 2]!;
    rgba[to + 3] = 255;
  }
  return rgba;
}

/** The pixels as RGB. Colors stay as they are, also where they are transparent. */
export function dropAlpha(pixels: Pixels): Pixels {
  if (pixels.channels === 3) return pixels;
  const rgb = new Uint8Array(pixels.width * pixels.height * 3);
  for (let from = 0, to = 0; to < rgb.length; from += 4, to += 3) {
    rgb[to] = pixels.data[from]!;
    rgb[to + 1] = pixels.data[from + 1]!;
    rgb[to + 2] = pixels.data[from + 2]!;
  }
  return { ...pixels, channels: 3, data: rgb };
}

/** The frames as RGB when every pixel of every frame is opaque. */
export function dropOpaqueAlpha(frames: Pixels[]): Pixels[] {
  for (const { data, channels } of frames) {
    if (channels === 3) continue;
    for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return frames;
  }
  return frames.map(dropAlpha);
}
