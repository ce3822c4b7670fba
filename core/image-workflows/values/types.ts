/** What flows along the links of a graph, by the type names of `/object_info`. */
import type { Guider, ModelPatch, NoiseSource, SamplerFunction } from './sampling.ts';
import type { FloatTensor } from './tensor.ts';

export interface ValueTypes {
  INT: number | bigint;
  FLOAT: number;
  STRING: string;
  BOOLEAN: boolean;
  /** A choice among names. */
  COMBO: string;
  /** [batch, height, width, channels 1, 3 or 4], 0 to 1. */
  IMAGE: FloatTensor;
  /** [batch, height, width], 0 to 1; nodes that take one also take [height, width]. */
  MASK: FloatTensor;
  LATENT: Latent;
  CONDITIONING: Conditioning;
  /** [steps + 1], falling. */
  SIGMAS: FloatTensor;
  NOISE: NoiseSource;
  SAMPLER: SamplerFunction;
  GUIDER: Guider;
  MODEL: ModelPatch;
  CLIP: ClipModel;
  VAE: VaeModel;
  CONTROL_NET: unknown;
  CLIP_VISION: unknown;
  CLIP_VISION_OUTPUT: unknown;
  STYLE_MODEL: unknown;
  UPSCALE_MODEL: UpscaleModel;
  '*': unknown;
}

export type ValueType = keyof ValueTypes;

export interface Latent {
  /** [batch, channels, height / 8, width / 8], unscaled: as the VAE gives and takes them. */
  samples: FloatTensor;
  /** [batch, height, width] or [batch, 1, height, width]: 1 where noise is wanted. */
  noiseMask?: FloatTensor;
  /** Which images of a larger batch these are: each draws the noise that it had there. */
  batchIndex?: number[];
  /** Other members travel along. */
  [other: string]: unknown;
}

export type Conditioning = ConditioningEntry[];

export interface ConditioningEntry {
  /** [batch, tokens, width] */
  tensor: FloatTensor;
  options: ConditioningOptions;
}

/** What the nodes between text and sampler say of an entry. */
export interface ConditioningOptions {
  /** [batch, width] */
  pooled?: FloatTensor;
  /** Latent units (pixels / 8): height, width, y, x. Or fractions of the picture. */
  area?: { unit: 'latent' | 'fraction'; height: number; width: number; y: number; x: number };
  strength?: number;
  mask?: FloatTensor;
  maskStrength?: number;
  setAreaToBounds?: boolean;
  /** Share of the sampling, 0 to 1, in which the entry counts. */
  startPercent?: number;
  endPercent?: number;
  guidance?: number;
  /** Channels added to the model's input by inpainting models. */
  concatLatent?: FloatTensor;
  concatMask?: FloatTensor;
  /** Other members travel along: width, height, crop_w … of SDXL, hooks, control nets. */
  [other: string]: unknown;
}

export interface ClipModel {
  /** Chunks of 77 tokens with weights, by the text encoders of the model. */
  encode(
    text: string | Record<string, string>,
    signal: AbortSignal,
  ): Promise<{ tensor: FloatTensor; pooled?: FloatTensor }>;
  /** The same weights read at an earlier layer: -1 is the last. */
  withLastLayer(layer: number): ClipModel;
}

export interface VaeModel {
  /** [b, h, w, 3] in 0..1, sides multiples of 8 -> unscaled latent samples. */
  encode(pixels: FloatTensor, signal: AbortSignal): Promise<FloatTensor>;
  decode(samples: FloatTensor, signal: AbortSignal): Promise<FloatTensor>;
  readonly latentChannels: number;
  /** Pixels a latent cell: 8. */
  readonly scale: number;
}

export interface UpscaleModel {
  readonly scale: number;
  upscale(pixels: FloatTensor, signal: AbortSignal): Promise<FloatTensor>;
}
