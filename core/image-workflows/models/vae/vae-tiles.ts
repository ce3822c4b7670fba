/** Autoencoding in overlapping tiles, which bounds the memory that large pictures need. */

import { crop } from '../../images/operations/geometry.ts';
import { emptyRaster, type Raster, rasterAt } from '../../images/rasters.ts';

export interface Tiling {
  height: number;
  width: number;
  overlap: number;
}

/** The same area as squares, lying and standing rectangles: three passes whose seams lie in other places. */
export const tilings = (size: number, overlap: number): readonly Tiling[] => [
  { height: size, width: size, overlap },
  { height: Math.floor(size / 2), width: size * 2, overlap },
  { height: size * 2, width: Math.floor(size / 2), overlap },
];

/** How many tiles a picture has under these tilings. */
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

/** Corners along one side; the last tile may be smaller than the others. */
function starts(length: number, size: number, overlap: number): number[] {
  if (length <= size) return [0];
  const found: number[] = [];
  for (let start = 0; start < length - overlap; start += Math.max(size - overlap, 1)) found.push(start);
  return found;
}

/** The mean of all passes. `scale`: how much larger a tile comes back. */
export async function processInTiles(
  image: Raster,
  all: readonly Tiling[],
  scale: number,
  change: (tile: Raster) => Promise<Raster>,
): Promise<Raster> {
  let mean: Raster | undefined;
  for (let index = 0; index < image.batch; index++)
    for (const tiling of all) {
      const pass = await onePass(rasterAt(image, index), tiling, scale, change);
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
  change: (tile: Raster) => Promise<Raster>,
): Promise<Raster> {
  const [tall, wide] = [Math.round(image.height * scale), Math.round(image.width * scale)];
  const weights = new Float32Array(tall * wide);
  const fade = Math.round(overlap * scale);
  let made: Raster | undefined;
  for (const y of starts(image.height, height, overlap))
    for (const x of starts(image.width, width, overlap)) {
      const tile = await change(
        crop(image, x, y, Math.min(width, image.width - x), Math.min(height, image.height - y)),
      );
      made ??= emptyRaster(1, tall, wide, tile.channels);
      add(made, weights, tile, Math.round(x * scale), Math.round(y * scale), fade);
    }
  for (let at = 0; at < made!.data.length; at++) made!.data[at]! /= weights[Math.floor(at / made!.channels)]!;
  return made!;
}

function add(to: Raster, weights: Float32Array, tile: Raster, left: number, top: number, fade: number): void {
  const [across, down] = [ramp(tile.width, fade), ramp(tile.height, fade)];
  for (let y = 0; y < tile.height; y++)
    for (let x = 0; x < tile.width; x++) {
      const weight = across[x]! * down[y]!;
      const target = (top + y) * to.width + left + x;
      weights[target]! += weight;
      for (let channel = 0; channel < tile.channels; channel++)
        to.data[target * to.channels + channel]! +=
          tile.data[(y * tile.width + x) * tile.channels + channel]! * weight;
    }
}

/** Rising over the first and falling over the last `fade` cells, where the tile is larger than that. */
function ramp(size: number, fade: number): Float64Array {
  return Float64Array.from({ length: size }, (_, at) =>
    fade >= size || fade === 0 ? 1 : Math.min(1, (at + 1) / fade) * Math.min(1, (size - at) / fade),
  );
}
