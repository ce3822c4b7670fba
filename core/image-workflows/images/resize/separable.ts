import type { Steps } from '../../yielding/steps.ts';
import { emptyRaster, type Raster } from '../rasters.ts';
import { resizeTaps, type TapMethod } from './taps.ts';

/** Resizes along one axis after the other. */
export function* resizeSeparable(
  raster: Raster,
  width: number,
  height: number,
  method: TapMethod,
): Steps<Raster> {
  // The axis that shrinks most comes first, which leaves the fewest pixels for the other.
  const wide = raster.width / width;
  const high = raster.height / height;
  if (wide >= high) return yield* resizeRows(yield* resizeColumns(raster, width, method), height, method);
  return yield* resizeColumns(yield* resizeRows(raster, height, method), width, method);
}

function* resizeColumns(raster: Raster, width: number, method: TapMethod): Steps<Raster> {
  if (raster.width === width) return raster;
  const { window, index, weight } = resizeTaps(method, raster.width, width);
  const { batch, height, channels, data } = raster;
  const result = emptyRaster(batch, height, width, channels);
  for (let row = 0; row < batch * height; row++) {
    yield;
    const source = row * raster.width * channels;
    const target = row * width * channels;
    for (let x = 0; x < width; x++)
      for (let channel = 0; channel < channels; channel++) {
        let sum = 0;
        for (let tap = x * window; tap < (x + 1) * window; tap++)
          sum += weight[tap]! * data[source + index[tap]! * channels + channel]!;
        result.data[target + x * channels + channel] = sum;
      }
  }
  return result;
}

function* resizeRows(raster: Raster, height: number, method: TapMethod): Steps<Raster> {
  if (raster.height === height) return raster;
  const { window, index, weight } = resizeTaps(method, raster.height, height);
  const { batch, width, channels, data } = raster;
  const result = emptyRaster(batch, height, width, channels);
  const line = width * channels;
  const sums = new Float64Array(line);
  for (let image = 0; image < batch; image++)
    for (let y = 0; y < height; y++) {
      yield;
      sums.fill(0);
      for (let tap = y * window; tap < (y + 1) * window; tap++) {
        const share = weight[tap]!;
        if (share === 0) continue;
        const source = (image * raster.height + index[tap]!) * line;
        for (let at = 0; at < line; at++) sums[at] = sums[at]! + share * data[source + at]!;
      }
      result.data.set(sums, (image * height + y) * line);
    }
  return result;
}
