import { ImageUnreadable, type Pixels } from '../pixels.ts';
import type { PngHeader } from './header.ts';

/** The chunks that give samples their colors. */
export interface PngColors {
  /** PLTE: RGB for each palette entry. */
  palette?: Uint8Array;
  /** tRNS: opacities of palette entries, or the one transparent color as 16-bit samples. */
  transparency?: Uint8Array;
}

/**
 * Converts samples of every kind of PNG to 8 bits a channel.
 * @throws `ImageUnreadable` for a color that the palette lacks
 */
export function pixelsFromSamples(
  samples: Uint8Array | Uint16Array,
  header: PngHeader,
  { palette, transparency }: PngColors,
): Pixels {
  const count = header.width * header.height;
  const isOpaque = header.kind !== 'rgba' && header.kind !== 'gray-alpha' && !transparency;
  const channels = isOpaque ? 3 : 4;
  const data = new Uint8Array(count * channels);
  const toByte = byteScaler(header);
  const transparent =
    transparency && header.kind !== 'palette' ? transparentColor(transparency, header) : undefined;
  for (let pixel = 0; pixel < count; pixel++) {
    const from = pixel * header.samples;
    const to = pixel * channels;
    if (header.kind === 'palette') {
      const entry = samples[from]!;
      if (!palette || entry * 3 + 2 >= palette.length)
        throw new ImageUnreadable('the PNG file uses colors that its palette does not have: it is damaged');
      for (let channel = 0; channel < 3; channel++) data[to + channel] = palette[entry * 3 + channel]!;
      if (!isOpaque) data[to + 3] = transparency?.[entry] ?? 255;
      continue;
    }
    const isGray = header.kind === 'gray' || header.kind === 'gray-alpha';
    for (let channel = 0; channel < 3; channel++)
      data[to + channel] = toByte(samples[from + (isGray ? 0 : channel)]!);
    if (isOpaque) continue;
    if (transparent)
      data[to + 3] = transparent.every((sample, channel) => samples[from + channel] === sample) ? 0 : 255;
    // Opacities of 16 bits keep their high byte.
    else
      data[to + 3] =
        header.depth === 16 ? samples[from + header.samples - 1]! >> 8 : samples[from + header.samples - 1]!;
  }
  return { width: header.width, height: header.height, channels, data };
}

/** Samples of 16 bits keep their high byte. Gray ones are divided by 255 instead, as Pillow does for ComfyUI. */
function byteScaler({ depth, kind }: PngHeader): (sample: number) => number {
  if (depth === 8) return (sample) => sample;
  if (depth === 16)
    return kind === 'gray' ? (sample) => Math.min(255, Math.trunc(sample / 255)) : (sample) => sample >> 8;
  const factor = 255 / ((1 << depth) - 1);
  return (sample) => sample * factor;
}

function transparentColor(transparency: Uint8Array, header: PngHeader): number[] {
  const samples = Array.from(
    { length: header.samples },
    (_, at) => ((transparency[at * 2] ?? 0) << 8) | (transparency[at * 2 + 1] ?? 0),
  );
  return samples.map((sample) => sample & ((1 << header.depth) - 1));
}
