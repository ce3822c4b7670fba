/** Noise masks in the size of latents. */

import { type FloatTensor, zeros } from '../values/tensor.ts';
import { planesToRaster, rasterToPlanes, repeatToBatch } from './rasters.ts';
import { resize } from './resize/resize.ts';

/**
 * Resizes a mask of any size and broadcasts it to all channels of a latent. For videos, masks without an axis of frames
 * have one plane for each frame.
 */
export function broadcastMask(mask: FloatTensor, shape: readonly number[]): FloatTensor {
  const [batch = 1, channels = 1] = shape;
  const planes = shape.length === 5 ? videoMask(mask, shape) : imageMask(mask, shape);
  const size = planes.data.length / batch;
  const result = zeros(shape);
  for (let plane = 0; plane < batch * channels; plane++) {
    const from = Math.floor(plane / channels) * size;
    result.data.set(planes.data.subarray(from, from + size), plane * size);
  }
  return result;
}

/** [batch, 1, height, width] */
function imageMask(mask: FloatTensor, [batch = 1, , height = 1, width = 1]: readonly number[]): FloatTensor {
  const [maskHeight = 1, maskWidth = 1] = mask.shape.slice(-2);
  const count = mask.data.length / (maskHeight * maskWidth);
  const planes = planesToRaster({ shape: [count, 1, maskHeight, maskWidth], data: mask.data });
  return rasterToPlanes(repeatToBatch(resize(planes, width, height, 'bilinear'), batch));
}

/** [batch, 1, frames, height, width]. Frames between those of the mask are mixed. */
export function videoMask(
  mask: FloatTensor,
  [batch = 1, , frames = 1, height = 1, width = 1]: readonly number[],
): FloatTensor {
  const [maskHeight = 1, maskWidth = 1] = mask.shape.slice(-2);
  const planes = mask.data.length / (maskHeight * maskWidth);
  const videos = mask.shape.length === 5 ? mask.shape[0]! : 1;
  const own = mask.shape.length === 5 ? mask.shape[2]! : planes;
  const sized = resize(
    planesToRaster({ shape: [planes, 1, maskHeight, maskWidth], data: mask.data }),
    width,
    height,
    'bilinear',
  );
  const size = height * width;
  const result = zeros([batch, 1, frames, height, width]);
  for (let at = 0; at < batch * frames; at++) {
    const first = (Math.floor(at / frames) % videos) * (planes / videos);
    const time = Math.min(Math.max((((at % frames) + 0.5) * own) / frames - 0.5, 0), own - 1);
    const [before, share] = [Math.floor(time), time % 1];
    const after = Math.min(before + 1, own - 1);
    for (let cell = 0; cell < size; cell++)
      result.data[at * size + cell] =
        (1 - share) * sized.data[(first + before) * size + cell]! +
        share * sized.data[(first + after) * size + cell]!;
  }
  return result;
}
