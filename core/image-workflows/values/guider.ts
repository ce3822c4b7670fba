/** Guiders: a model together with its conditioning, which denoises a latent at one noise level. */
import type { DiffusionModel } from './diffusion-model.ts';
import type { FloatTensor } from './tensor.ts';

/** A guider that is bound to the model of one sampler run. */
export interface GuidedModel {
  /** The guided clean latent. */
  denoise(x: FloatTensor, sigma: number): Promise<FloatTensor>;
  denoiseBoth(x: FloatTensor, sigma: number): Promise<{ denoised: FloatTensor; uncond: FloatTensor }>;
}

/** The input of a sampling run. Inpainting models also take it as additional channels. */
export interface SamplingStart {
  /** The clean latent in the network's scale. */
  readonly latent: FloatTensor;
  /** A mask that is 1 where noise is added. */
  readonly mask: FloatTensor | undefined;
  /** The seed of the guider's random numbers. Default: 0. */
  readonly seed?: bigint;
  /** The noise levels of the run, in descending order. */
  readonly sigmas?: Float32Array;
}

/** A value of type GUIDER. */
export interface Guider {
  readonly model: DiffusionModel;
  /** Fits the conditioning to latents of this shape. */
  open(shape: readonly number[], signal: AbortSignal, start?: SamplingStart): GuidedModel;
}
