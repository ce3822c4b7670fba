import { type Raster, repeatToBatch } from '../rasters.ts';
import { resize } from '../resize/resize.ts';

/**
 * `source` laid over `destination` with its corner at (x, y), through `mask` where there is one (1 = source), cut at the
 * edges. Both have the same channels. Source and mask are repeated to the pictures of the destination.
 */
export function composite(
  destination: Raster,
  source: Raster,
  x: number,
  y: number,
  options: { mask?: Raster; resizeSource?: boolean } = {},
): Raster {
  const { batch, height, width, channels } = destination;
  const scaled = options.resizeSource === true ? resize(source, width, height, 'bilinear') : source;
  const over = repeatToBatch(scaled, batch);
  const mask =
    options.mask && repeatToBatch(resize(options.mask, over.width, over.height, 'bilinear'), batch);
  const left = Math.max(-over.width, Math.min(x, width));
  const top = Math.max(-over.height, Math.min(y, height));
  const made: Raster = { ...destination, data: destination.data.slice() };
  for (let picture = 0; picture < batch; picture++)
    for (let row = Math.max(0, -top); row < Math.min(over.height, height - top); row++)
      for (let column = Math.max(0, -left); column < Math.min(over.width, width - left); column++) {
        const pixel = (picture * over.height + row) * over.width + column;
        const share = mask ? mask.data[pixel]! : 1;
        const target = ((picture * height + top + row) * width + left + column) * channels;
        for (let channel = 0; channel < channels; channel++)
          made.data[target + channel] =
            over.data[pixel * channels + channel]! * share + made.data[target + channel]! * (1 - share);
      }
  return made;
}
