/** Processing of large images in overlapping tiles that blend into one another, for models with limited memory. */
import { emptyRaster, type Raster } from '../rasters.ts';
import { crop } from './geometry.ts';

/** The start of each tile along one side. Each but the last begins `size - overlap` after the previous one. */
export function tileStarts(length: number, size: number, overlap: number): number[] {
  if (length <= size) return [0];
  const starts: number[] = [];
  for (let start = 0; start + size < length; start += size - overlap) starts.push(start);
  return [...starts, length - size];
}

/**
 * Applies `change` to one image, tile by tile. It returns each tile `scale` times as large in both directions. `overlap`
 * must be less than `size`; both are in pixels of `image`.
 */
export async function processTiles(
  image: Raster,
  options: { size: number; overlap: number; scale: number },
  change: (tile: Raster) => Promise<Raster>,
): Promise<Raster> {
  const { size, overlap, scale } = options;
  const [width, height] = [image.width * scale, image.height * scale];
  const weights = new Float32Array(width * height);
  let result: Raster | undefined;
  for (const y of tileStarts(image.height, size, overlap))
    for (const x of tileStarts(image.width, size, overlap)) {
      const tile = await change(crop(image, x, y, size, size));
      result ??= emptyRaster(1, height, width, tile.channels);
      add(result, weights, tile, x * scale, y * scale, overlap * scale);
    }
  for (let at = 0; at < result!.data.length; at++)
    result!.data[at] = result!.data[at]! / weights[Math.floor(at / result!.channels)]!;
  return result!;
}

function add(to: Raster, weights: Float32Array, tile: Raster, left: number, top: number, fade: number): void {
  const across = ramp(tile.width, left > 0, left + tile.width < to.width, fade);
  const down = ramp(tile.height, top > 0, top + tile.height < to.height, fade);
  for (let y = 0; y < tile.height; y++)
    for (let x = 0; x < tile.width; x++) {
      const weight = across[x]! * down[y]!;
      const target = (top + y) * to.width + left + x;
      weights[target] = weights[target]! + weight;
      for (let channel = 0; channel < tile.channels; channel++) {
        const at = target * to.channels + channel;
        to.data[at] = to.data[at]! + tile.data[(y * tile.width + x) * tile.channels + channel]! * weight;
      }
    }
}

/** Weights that rise over the first and fall over the last `fade` pixels, where there is a neighboring tile. */
function ramp(size: number, before: boolean, after: boolean, fade: number): Float64Array {
  return Float64Array.from({ length: size }, (_, at) =>
    Math.min(1, before ? (at + 1) / fade : 1, after ? (size - at) / fade : 1),
  );
}
