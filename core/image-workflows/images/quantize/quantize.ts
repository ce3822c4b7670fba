import type { Steps } from '../../yielding/steps.ts';
import { emptyRaster, type Raster, rasterAt } from '../rasters.ts';
import { toByte } from '../rounding.ts';
import { medianCut } from './median-cut.ts';
import { diffuseToPalette, mapToPalette, orderToPalette, PaletteMap } from './palette.ts';

export const DITHERS = ['none', 'floyd-steinberg', 'bayer-2', 'bayer-4', 'bayer-8', 'bayer-16'] as const;
export type Dither = (typeof DITHERS)[number];

/** Reduces each image to at most `colors` (1 to 256) of its own colors. Removes alpha. Throws for unknown dithering. */
export function* quantize(image: Raster, colors: number, dither: Dither): Steps<Raster> {
  if (!DITHERS.includes(dither))
    throw new RangeError(`there is no dithering called '${dither}': use ${DITHERS.join(', ')}`);
  const result = emptyRaster(image.batch, image.height, image.width, 3);
  const size = image.height * image.width * 3;
  for (let index = 0; index < image.batch; index++) {
    yield;
    const rgb = bytesOf(rasterAt(image, index));
    const map = new PaletteMap(medianCut(rgb, colors));
    if (dither === 'none') mapToPalette(rgb, map);
    else if (dither === 'floyd-steinberg') diffuseToPalette(rgb, image.width, map);
    else orderToPalette(rgb, image.width, Number(dither.slice('bayer-'.length)), map);
    for (let at = 0; at < size; at++) result.data[index * size + at] = rgb[at]! / 255;
  }
  return result;
}

function bytesOf(image: Raster): Uint8Array {
  const rgb = new Uint8Array(image.height * image.width * 3);
  for (let pixel = 0; pixel < rgb.length / 3; pixel++)
    for (let channel = 0; channel < 3; channel++)
      rgb[pixel * 3 + channel] = toByte(
        image.data[pixel * image.channels + Math.min(channel, image.channels - 1)]!,
      );
  return rgb;
}
