import type { FloatTensor } from './tensor.ts';

/** A value of type LATENT. */
export interface Latent {
  /**
   * [batch, channels, height / 8, width / 8], unscaled: as the VAE encodes and decodes them. Videos have a third side:
   * [batch, channels, frames, height / 8, width / 8].
   */
  samples: FloatTensor;
  /**
   * [batch, height, width] or [batch, 1, height, width], for videos [batch, 1, frames, height, width]: 1 where noise is
   * added, 0 where the latent stays.
   */
  noiseMask?: FloatTensor;
  /** The indices of these images in a larger batch: each draws the noise that it had there. */
  batchIndex?: number[];
  /** Other members are passed on from node to node. */
  [other: string]: unknown;
}

/** The scale of a network's latents: the network sees (samples - shiftFactor) * scaleFactor. */
export interface LatentFormat {
  readonly channels: number;
  readonly scaleFactor: number;
  readonly shiftFactor: number;
  /** The network works on videos. An image is one of a single frame. */
  readonly isVideo?: true;
  /** The network works on images, and on the layers of an image in the place of frames. */
  readonly hasLayers?: true;
  /**
   * The network sees two frames in a row as channels of one, with the first frame twice. `channels` counts those of both.
   */
  readonly pairsFrames?: true;
  /** The network sees latents without these means, divided by these deviations: a number of each for every channel. */
  readonly statistics?: { readonly means: readonly number[]; readonly deviations: readonly number[] };
  /**
   * The linear map from latents to preview colors: [red, green, blue] for each channel, and a constant that is added.
   */
  readonly colors?: { readonly factors: readonly (readonly number[])[]; readonly bias: readonly number[] };
}

/** Draws the initial noise for a latent, in the shape of its samples. */
export interface NoiseSource {
  /** 64 bits, unsigned. The generator uses the low 32, as torch's CPU generator does. */
  readonly seed: bigint;
  generate(latent: Latent): FloatTensor;
}

/** Pixels of a latent cell along each side. */
export const CELL_SIDE = 8;
/** The channels of a mask that has a channel for each pixel of a latent cell. */
export const MASK_CHANNELS = CELL_SIDE ** 2;
