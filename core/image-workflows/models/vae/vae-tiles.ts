/** Processes images in overlapping tiles, which limits the memory that large images need. */
import { crop } from '../../images/operations/geometry.ts';
import { emptyRaster, type Raster, rasterAt } from '../../images/rasters.ts';

export interface Tiling {
  height: number;
  width: number;
  overlap: number;
}

/** Squares, and wide and tall rectangles of the same area: three passes whose seams lie at different positions. */
export const tilings = (size: number, overlap: number): readonly Tiling[] => [
  { height: size, width: size, overlap },
  { height: Math.floor(size / 2), width: size * 2, overlap },
  { height: size * 2, width: Math.floor(size / 2), overlap },
];

/** The number of tiles of an image batch under all tilings. */
export function tileCount({ batch, height, width }: Raster, all: readonly Tiling[]): number {
  return all.reduce(
    (sum, tiling) =>
      sum +
      batch *
        starts(height, tiling.height, tiling.overlap).length *
        starts(width, tiling.width, tiling.overlap).length,
    0,
  );
}

/** The positions of tiles along one side. The last tile may be smaller than the others. */
function starts(length: number, size: number, overlap: number): number[] {
  if (length <= size) return [0];
  const positions: number[] = [];
  for (let start = 0; start < length - overlap; start += Math.max(size - overlap, 1)) positions.push(start);
  return positions;
}

/**
 * The mean of the passes of all tilings.
 *
 * @param scale how many times larger a tile becomes by `process`.
 */
export async function processInTiles(
  image: Raster,
  all: readonly Tiling[],
  scale: number,
  process: (tile: Raster) => Promise<Raster>,
): Promise<Raster> {
  let mean: Raster | undefined;
  for (let index = 0; index < image.batch; index++)
    for (const tiling of all) {
      const pass = await onePass(rasterAt(image, index), tiling, scale, process);
      mean ??= emptyRaster(image.batch, pass.height, pass.width, pass.channels);
      const at = index * pass.data.length;
      for (let i = 0; i < pass.data.length; i++) mean.data[at + i]! += pass.data[i]! / all.length;
    }
  return mean!;
}

async function onePass(
  image: Raster,
  { height, width, overlap }: Tiling,
  scale: number,
  process: (tile: Raster) => Promise<Raster>,
): Promise<Raster> {
  const [outputHeight, outputWidth] = [Math.round(image.height * scale), Math.round(image.width * scale)];
  const weights = new Float32Array(outputHeight * outputWidth);
  const fade = Math.round(overlap * scale);
  let output: Raster | undefined;
  for (const y of starts(image.height, height, overlap))
    for (const x of starts(image.width, width, overlap)) {
      const tile = await process(
        crop(image, x, y, Math.min(width, image.width - x), Math.min(height, image.height - y)),
      );
      output ??= emptyRaster(1, outputHeight, outputWidth, tile.channels);
      addTile(output, weights, tile, Math.round(x * scale), Math.round(y * scale), fade);
    }
  const { data, channels } = output!;
  for (let i = 0; i < data.length; i++) data[i]! /= weights[Math.floor(i / channels)]!;
  return output!;
}

/** Adds a tile with weights that fall off towards its edges, and adds the weights themselves. */
function addTile(
  to: Raster,
  weights: Float32Array,
  tile: Raster,
  left: number,
  top: number,
  fade: number,
): void {
  const [horizontalRamp, verticalRamp] = [ramp(tile.width, fade), ramp(tile.height, fade)];
  for (let y = 0; y < tile.height; y++)
    for (let x = 0; x < tile.width; x++) {
      const weight = horizontalRamp[x]! * verticalRamp[y]!;
      const target = (top + y) * to.width + left + x;
      weights[target]! += weight;
      for (let channel = 0; channel < tile.channels; channel++)
        to.data[target * to.channels + channel]! +=
          tile.data[(y * tile.width + x) * tile.channels + channel]! * weight;
    }
}

/** Rises over the first `fade` cells and falls over the last ones. Constant for tiles no larger than that. */
function ramp(size: number, fade: number): Float64Array {
  return Float64Array.from({ length: size }, (_, at) =>
    fade >= size || fade === 0 ? 1 : Math.min(1, (at + 1) / fade) * Math.min(1, (size - at) / fade),
  );
}
