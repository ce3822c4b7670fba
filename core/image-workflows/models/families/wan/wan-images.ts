/** The images of prompts for Wan: further channels of its input, and tokens of a vision encoder. */

import { videoMask } from '../../../images/noise-mask.ts';
import { channelRange, concatAlong, concatChannels } from '../../../values/batches.ts';
import type { ConditioningOptions, InpaintingOptions } from '../../../values/conditioning.ts';
import type { DiffusionModel, ImageInputs } from '../../../values/diffusion-model.ts';
import type { LatentFormat } from '../../../values/latent.ts';
import { type FloatTensor, full, tensorOf, zeros } from '../../../values/tensor.ts';
import { latentChannels, scaledGroups, unmaskedFrames } from '../../networks/video-images.ts';
import BLACK from './black-latents.json' with { type: 'json' };

/** Four frames of the video share a frame of the latent, and each has a channel of the mask. */
const MASK_CHANNELS = 4;

export interface WanImages {
  latent: LatentFormat;
  /** Channels of the network's input after those of the latent. */
  addedChannels: number;
  /** The image of a subject follows the frames of the video, as in HuMo. */
  subjectFollows?: boolean;
  /** The network sees which frames have noise. */
  seesNoiseMask: boolean;
}

export const wanImageInputs =
  ({
    latent,
    addedChannels,
    seesNoiseMask,
    subjectFollows = false,
  }: WanImages): NonNullable<DiffusionModel['imageInputs']> =>
  (options, { shape, mask }) => {
    const videoInputs = videoInputsOf(options, latent);
    return {
      ...(addedChannels > 0 && {
        concat: subjectFollows
          ? blackVideo(shape)
          : addedInput(options.inpainting ?? {}, shape, latent, addedChannels),
      }),
      ...(options.vision?.penultimateHiddenState && { vision: options.vision.penultimateHiddenState }),
      ...(seesNoiseMask && mask && { noiseMask: videoMask(mask, shape) }),
      ...(videoInputs && {
        videoInputs: subjectFollows ? withFollowingSubject(videoInputs, addedChannels) : videoInputs,
      }),
    };
  };

/** The guides of a prompt, in the scale of the network. */
function videoInputsOf(
  { guides = {}, references }: ConditioningOptions,
  format: LatentFormat,
): ImageInputs['videoInputs'] {
  const { vace, camera, following, control, motion, pose, faces, audio } = guides;
  const reference = references?.latents?.at(-1);
  const videoInputs = {
    ...(vace && {
      vace: vace
        .map(({ frames, mask }) => concatChannels(scaledGroups(frames, format), mask))
        .reduce(joinBatches),
      vaceStrengths: tensorOf(
        [vace.length],
        Float32Array.from(vace, ({ strength }) => strength),
      ),
    }),
    ...(camera && { camera }),
    ...(following && { following: scaledGroups(following, format) }),
    ...(reference && { reference: scaledGroups(firstFrame(reference), format) }),
    ...(control && { control: scaledGroups(control, format) }),
    ...(motion && { motion: scaledGroups(motion, format) }),
    ...(pose && { pose: scaledGroups(pose, format) }),
    ...(faces && { faces }),
    ...(audio && { audio }),
  };
  return Object.keys(videoInputs).length > 0 ? videoInputs : undefined;
}

function firstFrame({ shape, data }: FloatTensor): FloatTensor {
  const [batch = 1, channels = 1, ...sides] = shape;
  if (sides.length === 2) return { shape: [batch, channels, 1, ...sides], data };
  const [frames = 1, height = 1, width = 1] = sides;
  const size = height * width;
  const result = zeros([batch, channels, 1, height, width]);
  for (let plane = 0; plane < batch * channels; plane++)
    result.data.set(data.subarray(plane * frames * size, (plane * frames + 1) * size), plane * size);
  return result;
}

/** The image of a subject as a frame after the video. Its further channels are those of a given frame. */
function withFollowingSubject(
  { reference, ...others }: NonNullable<ImageInputs['videoInputs']>,
  addedChannels: number,
): NonNullable<ImageInputs['videoInputs']> {
  if (!reference) return others;
  if (addedChannels === 0) return { ...others, following: reference };
  const [batch = 1, channels = 1, ...sides] = reference.shape;
  const before = concatChannels(
    zeros([batch, channels, ...sides]),
    full([batch, MASK_CHANNELS, ...sides], 1),
  );
  return { ...others, following: concatChannels(before, reference) };
}

/**
 * HuMo of 17 billion weights takes a black video in place of given frames, without a mask. `BLACK` has the scaled latents
 * of its first frame, of the second, and of those after it.
 */
function blackVideo([
  batch = 1,
  channels = 1,
  frames = 1,
  height = 1,
  width = 1,
]: readonly number[]): FloatTensor {
  const result = zeros([batch, MASK_CHANNELS + channels, frames, height, width]);
  const size = height * width;
  for (let video = 0; video < batch; video++)
    for (let channel = 0; channel < channels; channel++)
      for (let frame = 0; frame < frames; frame++) {
        const value = BLACK[Math.min(frame, BLACK.length - 1)]![channel]!;
        const plane = (video * (MASK_CHANNELS + channels) + MASK_CHANNELS + channel) * frames + frame;
        result.data.fill(value, plane * size, (plane + 1) * size);
      }
  return result;
}

const joinBatches = (first: FloatTensor, second: FloatTensor): FloatTensor => concatAlong(0, first, second);

/** A mask that is 1 for the given frames, before or between their latents. Without an image, all are zeros. */
function addedInput(
  { latent: image, mask, maskIndex = 0 }: InpaintingOptions,
  shape: readonly number[],
  format: LatentFormat,
  channels: number,
): FloatTensor {
  const [batch = 1, , frames = 1, height = 1, width = 1] = shape;
  if (!image) return zeros([batch, channels, frames, height, width]);
  const fitted = latentChannels(image, format, shape);
  if (fitted.shape[1] === channels) return fitted;
  const images = withChannels(fitted, channels - MASK_CHANNELS);
  const maskChannels = givenFrames(mask, shape);
  if (maskIndex === 0) return concatChannels(maskChannels, images);
  const [before, after] = [channelRange(images, 0, maskIndex), channelRange(images, maskIndex)];
  return concatChannels(concatChannels(before, maskChannels), after);
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

/** The first channels, or zeros after those that exist. */
function withChannels(video: FloatTensor, channels: number): FloatTensor {
  const [batch = 1, own = 1, ...sides] = video.shape;
  if (own === channels) return video;
  return own > channels
    ? channelRange(video, 0, channels)
    : concatChannels(video, zeros([batch, channels - own, ...sides]));
}
