import type { CodecFiles } from '#core/host';
import { encodeJpeg } from '#core/image-codecs';
import { toPixels } from '../../images/pixels.ts';
import { emptyRaster, type Raster } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import type { LatentFormat } from '../../values/latent.ts';
import { scaleLatent } from '../../values/latent-scaling.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import type { Preview } from '../kernel/node-context.ts';

/** Pixels. */
const LONGEST_SIDE = 512;
/** JPEG quality, 0 to 100. */
const QUALITY = 95;

/** The first latent of a batch as an image with one pixel for each cell. Colors are weighted sums of the channels. */
export function latentColors(
  samples: FloatTensor,
  format: LatentFormat,
  { factors, bias }: NonNullable<LatentFormat['colors']>,
): Raster {
  const { shape, data } = scaleLatent(firstOf(samples), format);
  const [, channels = 0, height = 0, width = 0] = shape;
  const colors = emptyRaster(1, height, width, 3);
  const cells = height * width;
  for (let cell = 0; cell < cells; cell++)
    for (let color = 0; color < 3; color++) {
      let value = bias[color]!;
      for (let channel = 0; channel < channels; channel++)
        value += data[channel * cells + cell]! * (factors[channel]?.[color] ?? 0);
      colors.data[cell * 3 + color] = Math.min(Math.max((value + 1) / 2, 0), 1);
    }
  return colors;
}

function firstOf({ shape: [batch = 1, ...sides], data }: FloatTensor): FloatTensor {
  return { shape: [1, ...sides], data: data.subarray(0, data.length / batch) };
}

/** A small image of the current state of a sampling. Undefined for latents whose colors are unknown. */
export async function latentPreview(
  samples: FloatTensor,
  format: LatentFormat,
  codecs: CodecFiles | undefined,
): Promise<Preview | undefined> {
  if (!format.colors || samples.shape.length !== 4 || !codecs) return undefined;
  const small = latentColors(samples, format, format.colors);
  const scale = LONGEST_SIDE / Math.max(small.width, small.height);
  const [width, height] = [small.width, small.height].map((side) => Math.max(1, Math.round(side * scale)));
  const pixels = toPixels(resize(small, width!, height!, 'bilinear'), 0);
  return { type: 'image/jpeg', bytes: await encodeJpeg(pixels, QUALITY, codecs) };
}
