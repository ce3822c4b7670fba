import type { Pixels } from './pixels.ts';

/** Four bytes a pixel, opaque where there was no opacity. */
export function withAlpha({ width, height, channels, data }: Pixels): Uint8Array {
  if (channels === 4) return data;
  const made = new Uint8Array(width * height * 4);
  for (let from = 0, to = 0; to < made.length; from += 3, to += 4) {
    made[to] = data[from]!;
    made[to + 1] = data[from + 1]!;
    made[to + 2] = data[from + 2]!;
    made[to + 3] = 255;
  }
  return made;
}
