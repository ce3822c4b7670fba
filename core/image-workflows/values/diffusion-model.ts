/** A value of type MODEL: a network with everything that nodes have set on it. */
import type { ConditioningOptions } from './conditioning.ts';
import type { ContextWindows } from './context-windows.ts';
import type { Guidance } from './guidance.ts';
import type { LatentFormat } from './latent.ts';
import type { JsonConfig } from './model-graph.ts';
import type { DiffusionNetwork, NetworkKind, NetworkPrompt } from './network.ts';
import type { ModelSampling } from './noise-levels.ts';
import type { FloatTensor } from './tensor.ts';

/** Nodes copy a model to change it. They never change it in place. */
export interface DiffusionModel {
  readonly network: DiffusionNetwork;
  readonly sampling: ModelSampling;
  readonly latent: LatentFormat;
  readonly guidance: Guidance;
  /**
   * The content of the network's additional input channels: a mask and the image around it for inpainting, or the image
   * to edit. `scaled`: in the scale of the network's latents, with the pixels of the mask as channels.
   */
  readonly concat?: 'mask and image' | 'image' | 'scaled image' | 'scaled image and mask';
  /** Converts the images of a prompt for the network. Throws when they do not fit it. */
  readonly imageInputs?: (options: ConditioningOptions, run: ImageInputRun) => ImageInputs;
  /** The input outside of a noise mask, from the latent without noise. Default: the latent with noise of the level. */
  readonly cleanLatentAt?: (latent: FloatTensor, sigma: number) => FloatTensor;
  /** The noise mask at one noise level, from a mask with gray values. Default: the mask itself. */
  readonly maskAt?: (mask: FloatTensor, sigma: number, sigmas: Float32Array) => FloatTensor;
  readonly stepCache?: StepCacheOptions;
  /** Long latents run in windows. */
  readonly windows?: ContextWindows;
  /** The configurations from the model's files. Undefined: it has no files that could be saved. */
  readonly configs?: ModelConfigs;
  /** For networks in files of weights. */
  readonly family?: ModelFamily;
}

export interface ModelConfigs {
  readonly kind: NetworkKind;
  /** The network's `config.json`. */
  readonly config: JsonConfig;
  /** The model's `scheduler_config.json`, or the usual one of its kind: how the network was trained. */
  readonly scheduler: JsonConfig;
}

/** A family of networks, as its checkpoints are stored. */
export interface ModelFamily {
  /** As people call it. */
  readonly name: string;
  /** The text encoders in its checkpoints: names in `text-encoders.json` and `language-encoders.json`. */
  readonly encoders: readonly string[];
}

export interface ImageInputRun {
  /** The shape of the latent, [batch, channels, height, width]; videos have frames before the height. */
  readonly shape: readonly number[];
  readonly seed: bigint;
  /** The noise mask of the latent, in any size. */
  readonly mask?: FloatTensor | undefined;
  /** The noise levels of the run, in descending order. */
  readonly sigmas?: Float32Array | undefined;
}

/** The network inputs that carry a prompt's images. */
export type ImageInputs = Pick<
  NetworkPrompt,
  'concat' | 'classLabels' | 'appended' | 'references' | 'vision' | 'noiseMask' | 'videoInputs' | 'sigmas'
> & {
  /** Replaces the prompt's pooled embedding. */
  readonly pooled?: FloatTensor;
};

/** When a result of an earlier step is used again instead of running the network: EasyCache and LazyCache. */
export interface StepCacheOptions {
  /** Caches the network's output for each prompt (EasyCache), or the guided latent (LazyCache). */
  readonly scope: 'network' | 'guided';
  /** The largest estimated relative change of a result at which it is reused. 0: never. */
  readonly threshold: number;
  /** Share of the sampling, 0 to 1. */
  readonly startPercent: number;
  readonly endPercent: number;
  /** Receives one line for each step. */
  readonly log?: (line: string) => void;
}
