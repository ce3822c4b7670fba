/** Videos, images and cameras that networks of videos follow, further to their prompt. */
import type { FloatTensor } from './tensor.ts';

/** A video for the networks of Wan VACE. */
export interface VaceGuide {
  /** Unscaled latents of the parts that stay and of those that change, [1, 2 · channels, frames, height, width]. */
  readonly frames: FloatTensor;
  /** The mask of each pixel of a cell, [1, 64, frames, height, width]: 1 where the video changes. */
  readonly mask: FloatTensor;
  /** How much the network follows it. */
  readonly strength: number;
}

/** Frames at the end of a latent that stand for other places of the video (LTX Video). */
export interface KeyFrames {
  /** The number of frames of the latent. */
  readonly frames: number;
  /** Frame, row and column of each cell in pixels, [cells, 3]. */
  readonly places: FloatTensor;
}

export interface VideoGuides {
  /** Videos for the networks of Wan VACE. */
  readonly vace?: readonly VaceGuide[];
  /** Rays through the pixels for Wan's camera networks, [1, 24, frames, 8 · height, 8 · width]. */
  readonly camera?: FloatTensor;
  /** Unscaled latents that follow the frames of the video, [1, channels, frames, height, width]. */
  readonly following?: FloatTensor;
  readonly keyFrames?: KeyFrames | undefined;
  /** Unscaled latents of a video that Wan S2V follows, [1, channels, frames, height, width]. */
  readonly control?: FloatTensor;
  /** Unscaled latents of the frames before the video (Wan S2V), as `control`. */
  readonly motion?: FloatTensor;
  /** Unscaled latents of the poses of a character (Wan Animate), as `control`. */
  readonly pose?: FloatTensor;
  /** The face of a character (Wan Animate), [1, 3, frames, 512, 512], -1 to 1. */
  readonly faces?: FloatTensor;
  /**
   * Speech by the layers of an audio encoder. For Wan S2V [1, layers, width, steps], with four steps for each frame of the
   * latent. For HuMo [1, frames, …] with the numbers of each frame.
   */
  readonly audio?: FloatTensor;
}
