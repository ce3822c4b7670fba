/** Inputs and shapes that the nodes of Wan share. */
import { WAN_LATENTS, WAN22_LATENTS } from '../../models/networks/wan-latents.ts';
import { type Conditioning, type ConditioningOptions, withOptions } from '../../values/conditioning.ts';
import { unscaleLatent } from '../../values/latent-scaling.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { link, optional } from '../kernel/inputs.ts';
import { promptOutputs, type VideoSize, videoInputs } from './given-frames.ts';

/** Frames of a video for each frame of a latent, but the first. */
export const FRAMES = 4;

export const shared = {
  category: 'conditioning/video_models',
  module: 'comfy_extras.nodes_wan',
  modern: true,
  outputs: promptOutputs,
} as const;

export const sizes = (length = 81) => videoInputs(832, 480, length, { side: 16, frames: FRAMES });
export const image = () => optional(link('IMAGE'));
export const seen = () => optional(link('CLIP_VISION_OUTPUT'));

export const latentFrames = (length: number): number => Math.floor((length - 1) / FRAMES) + 1;

export const latentShape = (
  { width, height, length }: VideoSize,
  channels: number,
  scale: number,
): number[] => [channels, latentFrames(length), Math.floor(height / scale), Math.floor(width / scale)];

export interface Prompts {
  positive: Conditioning;
  negative: Conditioning;
}

/** Both prompts with the same options, as `withOptions`. */
export const withBoth = (
  { positive, negative }: Prompts,
  options: Parameters<typeof withOptions>[1],
): Conditioning[] => [positive, negative].map((prompt) => withOptions(prompt, options));

/** A reference image follows those that a prompt already has. */
export const addReference =
  (latent: FloatTensor) =>
  ({ references }: ConditioningOptions): ConditioningOptions => ({
    references: { latents: [...(references?.latents ?? []), latent] },
  });

/** Latents of the network's empty video, in the scale of the autoencoder. */
export const emptyVideo = (shape: readonly number[]): FloatTensor =>
  unscaleLatent(zeros([1, ...shape]), shape[0] === WAN22_LATENTS.channels ? WAN22_LATENTS : WAN_LATENTS);
