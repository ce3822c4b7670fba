/**
 * Bilinear resizing by slerp: interpolates the direction of two pixels along an arc, and their lengths linearly. Latents
 * keep their length, which linear interpolation would shorten. Columns come before rows.
 */
import { emptyRaster, type Raster } from '../rasters.ts';
import { resizeTaps } from './taps.ts';

export function resizeBislerp(raster: Raster, width: number, height: number): Raster {
  const columns = emptyRaster(raster.batch, raster.height, width, raster.channels);
  const across = neighbors(raster.width, width);
  for (let row = 0; row < raster.batch * raster.height; row++)
    for (let x = 0; x < width; x++)
      slerp(
        raster.data,
        (row * raster.width + across.low[x]!) * raster.channels,
        (row * raster.width + across.high[x]!) * raster.channels,
        across.share[x]!,
        columns.data,
        (row * width + x) * raster.channels,
        raster.channels,
      );
  const result = emptyRaster(raster.batch, height, width, raster.channels);
  const down = neighbors(raster.height, height);
  for (let index = 0; index < raster.batch; index++)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++)
        slerp(
          columns.data,
          ((index * raster.height + down.low[y]!) * width + x) * raster.channels,
          ((index * raster.height + down.high[y]!) * width + x) * raster.channels,
          down.share[y]!,
          result.data,
          ((index * height + y) * width + x) * raster.channels,
          raster.channels,
        );
  return result;
}

/** The two neighbors of each new pixel. Computed by resizing a row of positions, to equal ComfyUI's numbers. */
function neighbors(from: number, to: number) {
  const { index, weight } = resizeTaps('bilinear', from, to);
  const resized = (value: (at: number) => number, at: number) =>
    Math.fround(weight[at * 2]! * value(index[at * 2]!) + weight[at * 2 + 1]! * value(index[at * 2 + 1]!));
  const low = new Int32Array(to);
  const high = new Int32Array(to);
  const share = new Float64Array(to);
  for (let at = 0; at < to; at++) {
    const position = resized((tap) => tap, at);
    low[at] = Math.floor(position);
    share[at] = position - low[at]!;
    high[at] = Math.trunc(resized((tap) => Math.min(tap + 1, from - 1), at));
  }
  return { low, high, share };
}

/** Writes the slerp of two pixels of `source` to `target`. Opposite directions are interpolated linearly. */
function slerp(
  source: Float32Array,
  first: number,
  second: number,
  share: number,
  target: Float32Array,
  to: number,
  channels: number,
): void {
  let firstLength = 0;
  let secondLength = 0;
  for (let channel = 0; channel < channels; channel++) {
    firstLength += source[first + channel]! ** 2;
    secondLength += source[second + channel]! ** 2;
  }
  firstLength = Math.sqrt(firstLength);
  secondLength = Math.sqrt(secondLength);
  const firstScale = firstLength === 0 ? 0 : 1 / firstLength;
  const secondScale = secondLength === 0 ? 0 : 1 / secondLength;
  let dot = 0;
  for (let channel = 0; channel < channels; channel++)
    dot += source[first + channel]! * firstScale * source[second + channel]! * secondScale;
  if (dot > 1 - 1e-5) {
    for (let channel = 0; channel < channels; channel++) target[to + channel] = source[first + channel]!;
    return;
  }
  if (dot < 1e-5 - 1) {
    for (let channel = 0; channel < channels; channel++)
      target[to + channel] = source[first + channel]! * (1 - share) + source[second + channel]! * share;
    return;
  }
  const angle = Math.acos(dot);
  const length = firstLength * (1 - share) + secondLength * share;
  const firstPart = (Math.sin((1 - share) * angle) / Math.sin(angle)) * firstScale * length;
  const secondPart = (Math.sin(share * angle) / Math.sin(angle)) * secondScale * length;
  for (let channel = 0; channel < channels; channel++)
    target[to + channel] = firstPart * source[first + channel]! + secondPart * source[second + channel]!;
}
