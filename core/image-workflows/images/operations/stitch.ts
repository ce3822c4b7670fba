import { concatBatches, emptyRaster, type Raster, rasterAt, withChannels } from '../rasters.ts';
import { resize } from '../resize/resize.ts';
import { centerOn, paste } from './geometry.ts';

export const DIRECTIONS = ['right', 'down', 'left', 'up'] as const;
export const SPACING_COLORS = ['white', 'black', 'red', 'green', 'blue'] as const;
type SpacingColor = (typeof SPACING_COLORS)[number];

const COLORS: Record<SpacingColor, readonly [number, number, number]> = {
  white: [1, 1, 1],
  black: [0, 0, 0],
  red: [1, 0, 0],
  green: [0, 1, 0],
  blue: [0, 0, 1],
};

export interface StitchOptions {
  direction: (typeof DIRECTIONS)[number];
  /** The second is resized to the side where they meet. Otherwise the smaller is centred on a background. */
  matchSize: boolean;
  /** Pixels between them, made even. */
  spacing: number;
  color: SpacingColor;
}

/** Two pictures side by side. The shorter batch repeats its last picture. */
export function stitch(first: Raster, second: Raster, options: StitchOptions): Raster {
  const batch = Math.max(first.batch, second.batch);
  let one = repeatLast(first, batch);
  let two = repeatLast(second, batch);
  const sideways = options.direction === 'right' || options.direction === 'left';
  if (options.matchSize) {
    const aspect = two.width / two.height;
    const width = sideways ? Math.trunc(one.height * aspect) : one.width;
    const height = sideways ? one.height : Math.trunc(one.width / aspect);
    two = resize(two, Math.max(1, width), Math.max(1, height), 'lanczos');
  } else {
    // only white and black backgrounds: the coloured ones mark the gap
    const background = options.color === 'white' ? 1 : 0;
    const side = sideways ? Math.max(one.height, two.height) : Math.max(one.width, two.width);
    one = centerOn(one, sideways ? one.width : side, sideways ? side : one.height, background);
    two = centerOn(two, sideways ? two.width : side, sideways ? side : two.height, background);
  }
  const channels = Math.max(one.channels, two.channels);
  one = withChannels(one, channels);
  two = withChannels(two, channels);
  const swapped = options.direction === 'left' || options.direction === 'up';
  const [before, after] = swapped ? [two, one] : [one, two];
  const gap = options.spacing > 0 ? options.spacing + (options.spacing % 2) : 0;
  const made = sideways
    ? emptyRaster(batch, one.height, one.width + gap + two.width, channels)
    : emptyRaster(batch, one.height + gap + two.height, one.width, channels);
  if (gap > 0) {
    const color = COLORS[options.color];
    for (let at = 0; at < made.data.length; at++) made.data[at] = color[at % channels] ?? 1;
  }
  paste(made, before, 0, 0);
  paste(made, after, sideways ? before.width + gap : 0, sideways ? 0 : before.height + gap);
  return made;
}

function repeatLast(raster: Raster, batch: number): Raster {
  if (raster.batch >= batch) return raster;
  const last = rasterAt(raster, raster.batch - 1);
  return concatBatches([raster, ...Array<Raster>(batch - raster.batch).fill(last)]);
}
