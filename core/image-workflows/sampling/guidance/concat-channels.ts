import { planesToRaster, rasterToPlanes, repeatToBatch } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import { roundHalfEven } from '../../images/rounding.ts';
import { concatChannels } from '../../values/batches.ts';
import type { ConditioningOptions } from '../../values/conditioning.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { SamplingStart } from '../../values/guider.ts';
import { CELL_SIDE, MASK_CHANNELS } from '../../values/latent.ts';
import { scaleLatent } from '../../values/latent-scaling.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import { map } from '../tensor-math.ts';
import { fitMask } from './fit-mask.ts';

/** The four scaled latent channels of a gray image in Stable Diffusion. */
const GRAY = [0.8223, -0.6876, 0.6364, 0.138];

/**
 * The additional input channels of a model, [batch, channels, height, width]. For inpainting: the mask, followed by the
 * latent of the image around it; Flux takes both in the other order. For image editing: the latent of the image.
 * Undefined for other models.
 */
export function concatInput(
  { inpainting = {} }: ConditioningOptions,
  [batch = 1, channels = 1, height = 1, width = 1]: readonly number[],
  { concat, latent }: Pick<DiffusionModel, 'concat' | 'latent'>,
  start: SamplingStart | undefined,
): FloatTensor | undefined {
  if (!concat) return undefined;
  const shape = [batch, channels, height, width];
  if (concat === 'image') return inpainting.latent ? fitLatent(inpainting.latent, shape) : zeros(shape);
  const mask = inpainting.mask ?? start?.mask;
  if (concat === 'scaled image' || concat === 'scaled image and mask') {
    const image = scaleLatent(inpainting.latent ? fitLatent(inpainting.latent, shape) : zeros(shape), latent);
    return concat === 'scaled image' ? image : concatChannels(image, maskChannels(mask, shape));
  }
  if (!mask) return concatChannels(full([batch, 1, height, width], 1), grayLatent(shape));
  const fitted = fitMask(mask, batch, height, width);
  const binary = map((value) => roundHalfEven(value), { ...fitted, shape: [batch, 1, height, width] });
  const image = inpainting.latent ? scaleLatent(fitLatent(inpainting.latent, shape), latent) : start?.latent;
  return concatChannels(binary, image ?? grayLatent(shape));
}

/**
 * A mask of pixels as channels of the latent cells: [batch, 64, height, width]. The pixels of a cell follow one another
 * row by row. Undefined: everything is masked.
 */
function maskChannels(
  mask: FloatTensor | undefined,
  [batch = 1, , height = 1, width = 1]: readonly number[],
): FloatTensor {
  const shape = [batch, MASK_CHANNELS, height, width];
  if (!mask) return full(shape, 1);
  const { data } = fitMask(mask, batch, height * CELL_SIDE, width * CELL_SIDE);
  const result = zeros(shape);
  let at = 0;
  for (let image = 0; image < batch; image++)
    for (let pixel = 0; pixel < MASK_CHANNELS; pixel++)
      for (let row = 0; row < height; row++)
        for (let column = 0; column < width; column++) {
          const y = row * CELL_SIDE + Math.floor(pixel / CELL_SIDE);
          const line = image * height * CELL_SIDE + y;
          result.data[at++] = data[(line * width + column) * CELL_SIDE + (pixel % CELL_SIDE)]!;
        }
  return result;
}

/** Resizes a latent and repeats it for the batch. */
function fitLatent(
  samples: FloatTensor,
  [batch = 1, , height = 1, width = 1]: readonly number[],
): FloatTensor {
  const raster = planesToRaster(samples);
  const sized =
    raster.height === height && raster.width === width
      ? raster
      : resize(raster, width, height, 'bilinear', 'center');
  return rasterToPlanes(repeatToBatch(sized, batch));
}

function grayLatent(shape: readonly number[]): FloatTensor {
  const result = zeros(shape);
  const [, channels = 1, height = 1, width = 1] = shape;
  for (let at = 0; at < result.data.length; at++)
    result.data[at] = GRAY[Math.floor(at / (height * width)) % channels] ?? 0;
  return result;
}
