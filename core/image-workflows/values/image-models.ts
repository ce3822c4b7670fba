/** Models that convert images: autoencoders and upscalers. */
import type { JsonConfig, ModelGraph } from './model-graph.ts';
import type { FloatTensor } from './tensor.ts';

/** A value of type VAE. */
export interface VaeModel {
  /** [batch, height, width, 3] in 0..1 to unscaled latent samples. Sides are cropped to multiples of `scale`. */
  encode(pixels: FloatTensor, signal: AbortSignal): Promise<FloatTensor>;
  /**
   * Unscaled latent samples to [batch, height, width, 3] in 0..1. With `isWhole` false the samples are a tile. Its values
   * outside of 0..1 stay, because they are clamped after the tiles are joined.
   */
  decode(samples: FloatTensor, signal: AbortSignal, options?: { isWhole: boolean }): Promise<FloatTensor>;
  /** Starts to open the decoder in the background. `signal` cancels that. Never throws. */
  prepare?(signal: AbortSignal): void;
  /** The graphs with the weights, and the configuration. Undefined: the model has no weights. */
  readonly graphs?: {
    readonly decoder: ModelGraph;
    readonly encoder: ModelGraph | undefined;
    readonly config: JsonConfig;
  };
  /** For models of audio, which encode and decode no images. */
  readonly audio?: AudioCodec;
  /** For models of shapes, which encode and decode no images. */
  readonly shapes?: ShapeCodec;
  readonly latentChannels: number;
  /** Pixels per latent cell along each side, usually 8. */
  readonly scale: number;
}

/** The audio of an autoencoder. */
export interface AudioCodec {
  /** Samples per second of the audio that it knows. */
  readonly sampleRate: number;
  /** [batch, 2, samples], -1 to 1, to unscaled latent samples [batch, channels, cells]. */
  encode(waveform: FloatTensor, signal: AbortSignal): Promise<FloatTensor>;
  /** Unscaled latent samples to [batch, 2, samples]. */
  decode(samples: FloatTensor, signal: AbortSignal): Promise<FloatTensor>;
}

export interface ShapeOptions {
  /** Cells along each side of the cube. Densities are those of their corners. */
  readonly resolution: number;
  readonly pointsAtOnce: number;
  /** Receives the finished share, 0 to 1. */
  readonly onProgress?: (share: number) => Promise<void>;
}

/** The shapes of an autoencoder. */
export interface ShapeCodec {
  /**
   * Unscaled latent samples [batch, channels, cells] to densities, 0 to 1 in [batch, z, y, x]. Those inside of the shape
   * are above 0.5.
   */
  decode(samples: FloatTensor, options: ShapeOptions, signal: AbortSignal): Promise<FloatTensor>;
}

/** A value of type LATENT_UPSCALE_MODEL. */
export interface LatentUpscaleModel {
  /** Sharpens unscaled latents of videos that were resized, [batch, channels, frames, height, width]. */
  sharpen(samples: FloatTensor, signal: AbortSignal): Promise<FloatTensor>;
}

/** A value of type UPSCALE_MODEL. */
export interface UpscaleModel {
  /** How many times larger each side becomes. */
  readonly scale: number;
  /** [batch, height, width, 3] in 0..1 to the same with larger sides. */
  upscale(pixels: FloatTensor, signal: AbortSignal): Promise<FloatTensor>;
}
