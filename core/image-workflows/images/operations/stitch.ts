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
  /** Resizes the second image to the side where they meet. Otherwise the smaller image is centered on a background. */
  matchSize: boolean;
  /** Pixels between the images, rounded up to an even number. */
  spacing: number;
  color: SpacingColor;
}

/** Puts two images next to each other. The shorter batch repeats its last image. */
export function stitch(first: Raster, second: Raster, options: StitchOptions): Raster {
  const batch = Math.max(first.batch, second.batch);
  const isSideways = options.direction === 'right' || options.direction === 'left';
  const fitted = fitSides(repeatLast(first, batch), repeatLast(second, batch), isSideways, options);
  const channels = Math.max(...fitted.map((raster) => raster.channels));
  const [a, b] = fitted.map((raster) => withChannels(raster, channels)) as [Raster, Raster];
  const isSwapped = options.direction === 'left' || options.direction === 'up';
  const [before, after] = isSwapped ? [b, a] : [a, b];
  const gap = options.spacing > 0 ? options.spacing + (options.spacing % 2) : 0;
  const result = isSideways
    ? emptyRaster(batch, a.height, a.width + gap + b.width, channels)
    : emptyRaster(batch, a.height + gap + b.height, a.width, channels);
  if (gap > 0) {
    const color = COLORS[options.color];
    for (let at = 0; at < result.data.length; at++) result.data[at] = color[at % channels] ?? 1;
  }
  paste(result, before, 0, 0);
  paste(result, after, isSideways ? before.width + gap : 0, isSideways ? 0 : before.height + gap);
  return result;
}

/** Both images with the same length of the side where they meet. */
function fitSides(
  first: Raster,
  second: Raster,
  isSideways: boolean,
  { matchSize, color }: StitchOptions,
): [Raster, Raster] {
  if (matchSize) {
    const aspect = second.width / second.height;
    const width = isSideways ? Math.trunc(first.height * aspect) : first.width;
    const height = isSideways ? first.height : Math.trunc(first.width / aspect);
    return [first, resize(second, Math.max(1, width), Math.max(1, height), 'lanczos')];
  }
  // The background is white or black. Other colors fill the gap alone.
  const background = color === 'white' ? 1 : 0;
  const side = isSideways ? Math.max(first.height, second.height) : Math.max(first.width, second.width);
  const center = (raster: Raster) =>
    centerOn(raster, isSideways ? raster.width : side, isSideways ? side : raster.height, background);
  return [center(first), center(second)];
}

function repeatLast(raster: Raster, batch: number): Raster {
  if (raster.batch >= batch) return raster;
  const last = rasterAt(raster, raster.batch - 1);
  return concatBatches([raster, ...Array<Raster>(batch - raster.batch).fill(last)]);
}
