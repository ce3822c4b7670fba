/** The images of prompts for Hunyuan's networks: further channels of the input, and tokens of a vision encoder. */
import { videoMask } from '../../../images/noise-mask.ts';
import { TorchGenerator } from '../../../sampling/random/torch-generator.ts';
import { channelRange, concatChannels } from '../../../values/batches.ts';
import type { InpaintingOptions } from '../../../values/conditioning.ts';
import type { DiffusionModel, ImageInputRun } from '../../../values/diffusion-model.ts';
import type { LatentFormat } from '../../../values/latent.ts';
import { scaleLatent } from '../../../values/latent-scaling.ts';
import { type FloatTensor, zeros } from '../../../values/tensor.ts';
import { fitVideo, latentChannels, unmaskedFrames } from '../../networks/video-images.ts';
import type { HunyuanImages } from './hunyuan-kind.ts';

interface HunyuanInputs {
  latent: LatentFormat;
  images: HunyuanImages | undefined;
  /** Channels of the input after those of the latent. */
  added: number;
}

/** The largest share of a latent that is refined. */
const LARGEST_SHARE = 0.75;
/** ComfyUI draws the noise for latents with a seed that is smaller by this number than the sampling seed. */
const SEED_OFFSET = 10n;

export const hunyuanImageInputs =
  ({ latent, images, added }: HunyuanInputs): NonNullable<DiffusionModel['imageInputs']> =>
  ({ inpainting = {}, vision }, run) => {
    if (images) checkChannels(inpainting.latent, images, latent.channels, added);
    const concat = images && added > 0 ? CHANNELS[images](inpainting, run, latent, added) : undefined;
    return {
      ...(concat && { concat }),
      ...(vision && { vision: vision.lastHiddenState }),
      ...(run.sigmas && { sigmas: run.sigmas }),
    };
  };

type Channels = (
  inpainting: InpaintingOptions,
  run: ImageInputRun,
  format: LatentFormat,
  added: number,
) => FloatTensor;

const CHANNELS: Readonly<Record<HunyuanImages, Channels>> = {
  'first frames': ({ latent, mask }, { shape }, format, added) => {
    const [batch = 1, , ...sides] = shape;
    if (!latent) return zeros([batch, added, ...sides]);
    const image = latentChannels(latent, format, shape);
    if (added === format.channels) return image;
    return concatChannels(image, mask ? unmaskedFrames(mask, shape) : zeros([batch, 1, ...sides]));
  },
  given: ({ latent, mask }, { shape, mask: noiseMask }, format, added) => {
    const [batch = 1, , ...sides] = shape;
    const frames = latent ? latentChannels(latent, format, shape) : zeros([batch, added - 1, ...sides]);
    const anyMask = mask ?? (noiseMask && videoMask(noiseMask, shape));
    return concatChannels(frames, anyMask ? unmaskedFrames(anyMask, shape) : zeros([batch, 1, ...sides]));
  },
  refined: ({ latent, noise = 0 }, { shape, seed }, format, added) => {
    const [batch = 1, , pairs = 1, ...sides] = shape;
    if (!latent) return zeros([batch, added, pairs, ...sides]);
    const own = fitVideo(latent, [batch, 0, 2 * pairs - 1, ...sides]);
    return withNoise(scaleLatent(own, format), noise, seed);
  },
  enlarged: ({ latent, noise = 0 }, { shape, seed }, { channels }, added) => {
    if (!latent) return zeros([shape[0]!, added, ...shape.slice(2)]);
    const all = fitVideo(latent, shape);
    const part = (start: number, end: number) => channelRange(all, start, end);
    const refined = withNoise(part(channels + 1, 2 * channels + 1), noise, seed);
    return concatChannels(
      concatChannels(part(0, channels + 1), refined),
      part(2 * channels + 1, 2 * channels + 2),
    );
  },
};

/** @throws TypeError when the latent of a prompt is one of another model */
function checkChannels(
  latent: FloatTensor | undefined,
  images: HunyuanImages,
  channels: number,
  added: number,
): void {
  const needed = { 'first frames': channels, given: added - 1, refined: added / 2, enlarged: added }[images];
  const own = latent?.shape[1];
  if (own !== undefined && own !== needed && added > 0)
    throw new TypeError(
      `this model takes a latent of ${needed} channels with its prompts, and this one has ${own}: use the autoencoder and the nodes of the same model`,
    );
}

/** A share of noise, and the rest of the latent, which is at most three quarters of it. */
function withNoise({ shape, data }: FloatTensor, share: number, seed: bigint): FloatTensor {
  const rest = Math.min(1 - share, LARGEST_SHARE);
  if (share <= 0) return { shape, data: data.map((value) => rest * value) };
  const noise = new TorchGenerator(BigInt.asUintN(64, seed - SEED_OFFSET)).normal(shape);
  return { shape, data: data.map((value, at) => share * noise.data[at]! + rest * value) };
}
