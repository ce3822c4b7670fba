/** Images of prompts as further channels of a video: latents of frames, and masks of the frames that are there. */
import { planesToRaster } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import type { LatentFormat } from '../../values/latent.ts';
import { scaleLatent } from '../../values/latent-scaling.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';

/**
 * Latents [batch, channels, frames, height, width] in the scale of the network and the size of `shape`. Several images
 * are groups of channels.
 */
export const latentChannels = (
  image: FloatTensor,
  format: LatentFormat,
  shape: readonly number[],
): FloatTensor => fitVideo(scaledGroups(image, format), shape);

/** 1 for the frames that the mask leaves as they are: one channel, or as many as the mask has. */
export function unmaskedFrames(mask: FloatTensor, shape: readonly number[]): FloatTensor {
  const video = mask.shape.length === 5 ? mask : { ...mask, shape: [1, 1, ...mask.shape.slice(-3)] };
  return fitVideo({ ...video, data: video.data.map((value) => 1 - value) }, shape);
}

/** Several images are groups of channels, and each is scaled as a latent: [batch, groups · channels, …]. */
export function scaledGroups({ shape, data }: FloatTensor, format: LatentFormat): FloatTensor {
  const [batch = 1, channels = 1, ...sides] = shape;
  const groups = channels / format.channels;
  const scaled = scaleLatent({ shape: [batch * groups, format.channels, ...sides], data }, format);
  return { shape, data: scaled.data };
}

/** Resizes each frame, adds black frames at the end, and repeats the video for the batch. */
export function fitVideo(
  { shape, data }: FloatTensor,
  [batch = 1, , frames = 1, height = 1, width = 1]: readonly number[],
): FloatTensor {
  const [videos = 1, channels = 1, ...sides] = shape;
  const [own, ownHeight, ownWidth] = sides.length === 3 ? sides : [1, ...sides];
  const planes = planesToRaster({ shape: [videos * channels * own!, 1, ownHeight!, ownWidth!], data });
  const isFitted = ownHeight === height && ownWidth === width;
  const sized = isFitted ? planes : resize(planes, width, height, 'bilinear', 'center');
  const result = zeros([batch, channels, frames, height, width]);
  const size = height * width;
  for (let plane = 0; plane < batch * channels; plane++) {
    const from = (plane % (videos * channels)) * own! * size;
    const length = Math.min(own!, frames) * size;
    result.data.set(sized.data.subarray(from, from + length), plane * frames * size);
  }
  return result;
}
