/** Control nets: networks next to a denoiser that add residuals to its inner values, according to an image. */
import type { VaeModel } from './image-models.ts';
import type { LatentFormat } from './latent.ts';
import type { NetworkPrompt } from './network.ts';
import type { FloatTensor } from './tensor.ts';

export interface ControlNet {
  /**
   * For each prompt, one residual for each of the denoiser's inputs for them. `x` and `timestep` are the denoiser's.
   * `image`: [batch, height, width, 3]. Rejects with the signal's reason or the engine's error.
   */
  residuals(
    x: FloatTensor,
    timestep: number,
    prompts: readonly Pick<NetworkPrompt, 'tensor' | 'options'>[],
    image: FloatTensor,
    signal: AbortSignal,
    latentInputs?: ControlLatentInputs,
  ): Promise<FloatTensor[][]>;
  /** For a union of several control nets: selects one by its index. Undefined: the net decides. */
  ofType(index: number | undefined): ControlNet;
}

/** Inputs of control nets that take latents instead of images. */
export interface ControlLatentInputs {
  /** The scale of the denoiser's latents. */
  readonly latent: LatentFormat;
  readonly vae?: VaeModel;
  /** [batch, height, width]: 1 where the image is repainted. */
  readonly mask?: FloatTensor;
}

/** A control net with its hint image. Several form a chain. */
export interface ControlHint {
  net: ControlNet;
  /** [batch, height, width, 3] */
  image: FloatTensor;
  strength: number;
  /** Shares of the sampling, 0 to 1, between which the hint counts. */
  startPercent: number;
  endPercent: number;
  /** For nets that take latents. */
  vae?: VaeModel;
  mask?: FloatTensor;
  previous?: ControlHint;
}
