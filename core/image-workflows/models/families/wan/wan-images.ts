/** The images of prompts for Wan: further channels of its input, and tokens of a vision encoder. */

import { videoMask } from '../../../images/noise-mask.ts';
import { concatChannels } from '../../../values/batches.ts';
import type { DiffusionModel } from '../../../values/diffusion-model.ts';
import type { LatentFormat } from '../../../values/latent.ts';
import { type FloatTensor, zeros } from '../../../values/tensor.ts';
import { latentChannels, unmaskedFrames } from '../../networks/video-images.ts';

/** Four frames of the video share a frame of the latent, and each has a channel of the mask. */
const MASK_CHANNELS = 4;

export interface WanImages {
  latent: LatentFormat;
  /** Channels of the network's input after those of the latent. */
  addedChannels: number;
  /** The network sees which frames have noise. */
  seesNoiseMask: boolean;
}

export const wanImageInputs =
  ({ latent, addedChannels, seesNoiseMask }: WanImages): NonNullable<DiffusionModel['imageInputs']> =>
  ({ inpainting = {}, vision }, { shape, mask }) => ({
    ...(addedChannels > 0 && { concat: addedInput(inpainting, shape, latent, addedChannels) }),
    ...(vision?.penultimateHiddenState && { vision: vision.penultimateHiddenState }),
    ...(seesNoiseMask && mask && { noiseMask: videoMask(mask, shape) }),
  });

/** A mask that is 1 for the given frames, followed by their latents. Without an image, both are zeros. */
function addedInput(
  { latent: image, mask }: { latent?: FloatTensor; mask?: FloatTensor },
  shape: readonly number[],
  format: LatentFormat,
  channels: number,
): FloatTensor {
  const [batch = 1, , frames = 1, height = 1, width = 1] = shape;
  if (!image) return zeros([batch, channels, frames, height, width]);
  const fitted = latentChannels(image, format, shape);
  if (fitted.shape[1] === channels) return fitted;
  return concatChannels(givenFrames(mask, shape), withChannels(fitted, channels - MASK_CHANNELS));
}

/** 1 for the frames that the mask leaves as they are. */
function givenFrames(mask: FloatTensor | undefined, shape: readonly number[]): FloatTensor {
  const [batch = 1, , frames = 1, height = 1, width = 1] = shape;
  if (!mask) return zeros([batch, MASK_CHANNELS, frames, height, width]);
  const fitted = unmaskedFrames(mask, shape);
  if (fitted.shape[1] === MASK_CHANNELS) return fitted;
  const both = concatChannels(fitted, fitted);
  return concatChannels(both, both);
}

/** The first channels. */
function withChannels({ shape, data }: FloatTensor, channels: number): FloatTensor {
  const [batch = 1, own = 1, ...sides] = shape;
  if (own === channels) return { shape, data };
  const size = data.length / (batch * own);
  const result = zeros([batch, channels, ...sides]);
  for (let index = 0; index < batch; index++)
    result.data.set(
      data.subarray(index * own * size, (index * own + Math.min(own, channels)) * size),
      index * channels * size,
    );
  return result;
}
