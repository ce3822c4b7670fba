import { type Raster, repeatToBatch } from '../rasters.ts';
import { resize } from '../resize/resize.ts';

/**
 * Lays `source` over `destination` with its top left corner at (x, y), and cuts it at the edges. Both must have the same
 * channels. Source and mask are repeated to the batch of the destination.
 * @param options.mask 1 where the source is visible. It is resized to the source.
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
  const result: Raster = { ...destination, data: destination.data.slice() };
  for (let index = 0; index < batch; index++)
    for (let row = Math.max(0, -top); row < Math.min(over.height, height - top); row++)
      for (let column = Math.max(0, -left); column < Math.min(over.width, width - left); column++) {
        const pixel = (index * over.height + row) * over.width + column;
        const share = mask ? mask.data[pixel]! : 1;
        const target = ((index * height + top + row) * width + left + column) * channels;
        for (let channel = 0; channel < channels; channel++)
          result.data[target + channel] =
            over.data[pixel * channels + channel]! * share + result.data[target + channel]! * (1 - share);
      }
  return result;
}
