import { planesToRaster, rasterToPlanes, repeatToBatch } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import { roundHalfEven } from '../../images/rounding.ts';
import type { ConditioningOptions } from '../../values/conditioning.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { SamplingStart } from '../../values/guider.ts';
import type { LatentFormat } from '../../values/latent.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import { map } from '../tensor-math.ts';
import { fitMask } from './fit-mask.ts';

/** A grey picture as the four channels of Stable Diffusion's latents, scaled. */
const GREY = [0.8223, -0.6876, 0.6364, 0.138];

/**
 * What an inpainting model sees beside the noisy latent, [batch, channels, height, width]: where to paint and what is there
 * already; for a model that changes pictures, the picture. undefined: the model takes nothing of the kind.
 */
export function concatInput(
  { inpainting: { latent: concatLatent, mask: concatMask } = {} }: ConditioningOptions,
  [batch = 1, channels = 1, height = 1, width = 1]: readonly number[],
  { concat, latent }: Pick<DiffusionModel, 'concat' | 'latent'>,
  start: SamplingStart | undefined,
): FloatTensor | undefined {
  if (!concat) return undefined;
  const fitted = (picture: FloatTensor) => {
    const raster = planesToRaster(picture);
    const sized =
      raster.height === height && raster.width === width
        ? raster
        : resize(raster, width, height, 'bilinear', 'center');
    return rasterToPlanes(repeatToBatch(sized, batch));
  };
  if (concat === 'image')
    return concatLatent ? fitted(concatLatent) : zeros([batch, channels, height, width]);
  const mask = concatMask ?? start?.mask;
  if (!mask) return withMask(full([batch, height, width], 1), grey([batch, channels, height, width]));
  const painted = fitMask(mask, batch, height, width);
  const known = concatLatent ? scaled(fitted(concatLatent), latent) : start?.latent;
  return withMask(
    map((value) => roundHalfEven(value), painted),
    known ?? grey([batch, channels, height, width]),
  );
}

const scaled = (samples: FloatTensor, { scaleFactor, shiftFactor }: LatentFormat): FloatTensor =>
  map((value) => (value - shiftFactor) * scaleFactor, samples);

function grey(shape: readonly number[]): FloatTensor {
  const made = zeros(shape);
  const [, channels = 1, height = 1, width = 1] = shape;
  for (let at = 0; at < made.data.length; at++)
    made.data[at] = GREY[Math.floor(at / (height * width)) % channels] ?? 0;
  return made;
}

/** [batch, height, width] before the channels of [batch, channels, height, width]. */
function withMask(mask: FloatTensor, picture: FloatTensor): FloatTensor {
  const [batch = 1, channels = 1, height = 1, width = 1] = picture.shape;
  const made = zeros([batch, channels + 1, height, width]);
  const area = height * width;
  for (let i = 0; i < batch; i++) {
    made.data.set(mask.data.subarray(i * area, (i + 1) * area), i * (channels + 1) * area);
    made.data.set(
      picture.data.subarray(i * channels * area, (i + 1) * channels * area),
      (i * (channels + 1) + 1) * area,
    );
  }
  return made;
}
