/** Control nets: networks next to a denoiser that add residuals to its inner values, according to an image. */
import type { VaeModel } from './image-models.ts';
import type { LatentFormat } from './latent.ts';
import type { ControlResidual, DiffusionNetwork, NetworkPrompt } from './network.ts';
import type { FloatTensor } from './tensor.ts';

export interface ControlNet {
  /**
   * Computes, for each prompt, one residual for each of the denoiser's residual inputs. `x` and `timestep` are the
   * denoiser's. `image`: [batch, height, width, 3]. Rejects with the signal's reason or the engine's error.
   */
  residuals(
    x: FloatTensor,
    timestep: number,
    prompts: readonly Pick<NetworkPrompt, 'tensor' | 'options'>[],
    image: FloatTensor,
    signal: AbortSignal,
    latentInputs?: ControlLatentInputs,
  ): Promise<ControlResidual[][]>;
  /** Selects one net by its index, if this is a union of several control nets. Undefined: the net decides. */
  ofType(index: number | undefined): ControlNet;
  /** The net for a denoiser. Undefined: it needs no weights of the denoiser. */
  forNetwork?(network: DiffusionNetwork): ControlNet;
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
  /** Encodes the hint image, for control nets that take latents. */
  vae?: VaeModel;
  mask?: FloatTensor;
  previous?: ControlHint;
}
