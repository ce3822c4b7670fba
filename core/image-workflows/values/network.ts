/** Diffusion networks: UNets and transformers. */
import type { Tensor } from '#core/host';
import type { AnyAdapter } from './adapter.ts';
import type { ActivePatches, GraphPatch } from './graph-patch.ts';
import type { ModelGraph } from './model-graph.ts';
import type { FloatTensor } from './tensor.ts';

/** Stable Diffusion 1 and 2, SDXL, Stable Diffusion 3, Flux. */
export type NetworkKind = 'sd' | 'sdxl' | 'sd3' | 'flux';

/**
 * How networks that edit images see reference latents: the first three are those of Flux Kontext.
 * - `offset`: all in one layer, next to each other.
 * - `index`: each in a layer of its own.
 * - `uxo`: in the image's layer, along the diagonal (as in UXO and UNO).
 * - `index_timestep_zero`: as `index`, and without noise: the network sees them at the time 0.
 * - `negative_index`: each in a layer of its own before that of the image.
 */
export type ReferencePlacement = 'offset' | 'index' | 'uxo' | 'index_timestep_zero' | 'negative_index';

/** The options of a prompt that a network takes itself. */
export interface PromptOptions {
  /** The pooled text embedding, [batch, width]. */
  pooled?: FloatTensor;
  /** 1 for tokens that the network may see and 0 for others, [batch, tokens]. Undefined: it sees all. */
  attentionMask?: FloatTensor;
  /** The guidance scale as an input of the network, for distilled models such as Flux and LCM. */
  guidance?: number;
  sizes?: SizeOptions;
  timing?: TimingOptions;
  /** The prompt by another encoder, for networks that take both apart. */
  secondText?: { readonly tensor: FloatTensor; readonly attentionMask?: FloatTensor };
  /** The lyrics of music: their tokens [batch, tokens], and a factor of what the network reads in them. */
  lyrics?: { readonly tokens: FloatTensor; readonly strength: number };
  music?: MusicOptions;
  /** The prompt by each layer of a language model, [batch, layers, tokens, width]. */
  languageLayers?: FloatTensor;
  gligen?: { readonly boxes: readonly GligenBox[] };
  /** The quoted parts of a prompt as an encoder of letters sees them, [batch, tokens, width]. */
  glyphs?: FloatTensor;
  /** The video begins with given frames, of which the first one has no noise. */
  isFirstFrameGiven?: true;
}

/** Inputs of ACE-Step 1.5. */
export interface MusicOptions {
  /** The embeddings of the lyrics' tokens, [1, tokens, width]. */
  readonly lyrics?: FloatTensor;
  /** Codes of the music by a language model, each for some latent cells. */
  readonly codes?: readonly number[];
  /** Latents of audio whose voice and melody count, [batch, channels, cells]. */
  readonly timbre?: FloatTensor;
}

/** Inputs of models of videos and audio. Models of images ignore them. */
export interface TimingOptions {
  /** Frames for each second. */
  frameRate?: number;
  /** Where the result begins in a piece of audio, in seconds. */
  secondsStart?: number;
  /** The length of that piece, in seconds. */
  secondsTotal?: number;
}

/** SDXL's micro-conditioning, in pixels. Missing sizes are those of the latent. */
export interface SizeOptions {
  height?: number;
  width?: number;
  cropTop?: number;
  cropLeft?: number;
  targetHeight?: number;
  targetWidth?: number;
  /** The aesthetic score, an input of SDXL's refiner. */
  aestheticScore?: number;
}

/** A phrase for GLIGEN and the box in which it belongs, in latent cells. */
export interface GligenBox {
  /** The pooled embedding of the phrase, [1, width]. */
  readonly pooled: FloatTensor;
  readonly height: number;
  readonly width: number;
  readonly y: number;
  readonly x: number;
}

/** A residual for an input of the network. */
export interface ControlResidual extends FloatTensor {
  /** For the single-stream blocks of Flux. */
  readonly isSingle?: true;
  /**
   * The number of residuals of its kind in a transformer's control net. Each serves several blocks in a row, or in turn
   * when they repeat.
   */
  readonly count?: number;
  readonly repeats?: true;
  /** The power of the strength with which it counts. Default: 1. */
  readonly power?: number;
  /** The only input that takes it, for T2I adapters. Undefined: residuals belong to the inputs in their order. */
  readonly input?: string;
}

/** Residuals of one kind belong to inputs in their order. */
export const residualKind = ({ isSingle, count, repeats, input }: ControlResidual): string =>
  [input ?? '', isSingle ? 'single' : '', count ?? '', repeats ? 'repeats' : ''].join();

/** One prompt in the form that a network takes, fitted to the network's input. */
export interface NetworkPrompt {
  /** [batch, tokens, width] */
  readonly tensor: FloatTensor;
  readonly options: PromptOptions;
  /** Additional input channels after those of the latent: [batch, channels, height, width]. */
  readonly concat?: FloatTensor;
  /** The residuals of control nets: one tensor for each of the network's inputs for them. */
  readonly control?: readonly ControlResidual[];
  /** An image embedding or a noise level, for networks with the input `class_labels`: [batch] or [batch, width]. */
  readonly classLabels?: FloatTensor;
  /** The output of a vision encoder for the image of the prompt, [batch, tokens, width]. */
  readonly vision?: FloatTensor;
  /** For networks that see it: 1 where the latent gets noise, [batch, 1, frames, height, width]. */
  readonly noiseMask?: FloatTensor;
  /** Tokens that follow those of the text: [1, tokens, width]. */
  readonly appended?: FloatTensor;
  /** Images that the network attends to, as scaled latents. */
  readonly references?: { readonly latents: readonly FloatTensor[]; readonly placement: ReferencePlacement };
  /** Further inputs of networks of videos and music, by names that the network's layout knows. */
  readonly videoInputs?: Readonly<Record<string, FloatTensor>>;
  /** Only prompts with the same object here can run as one batch. */
  readonly activePatches?: ActivePatches;
  /** The noise level of the input. */
  readonly sigma?: number;
  /** The noise levels of the run, for networks that know the next one. */
  readonly sigmas?: Float32Array;
}

/** A network with its weights on a device. */
export interface DiffusionNetwork {
  /**
   * Runs the network on one input under several prompts. Resolves to one raw output per prompt, in the shape of `x`.
   * Rejects with the signal's reason or the engine's error.
   */
  predict(
    x: FloatTensor,
    timestep: number,
    prompts: readonly NetworkPrompt[],
    signal: AbortSignal,
  ): Promise<FloatTensor[]>;
  /**
   * Runs the graph once on one input under one prompt, with inputs that a change of the graph added. Resolves to the
   * outputs of these names. Rejects as `predict`.
   */
  run?(
    input: { x: FloatTensor; timestep: number; prompt: NetworkPrompt; added: Record<string, Tensor> },
    outputs: readonly string[],
    signal: AbortSignal,
  ): Promise<Record<string, Tensor>>;
  /** The output of the graph that `predict` reads. Rejects as reading the graph does. */
  outputName?(): Promise<string>;
  /** Starts to open the network in the background. `signal` cancels that. Never throws. */
  prepare?(signal: AbortSignal): void;
  /** The graph with the weights. Undefined for networks that have none; they lack `withGraph` and `withAdapter` too. */
  readonly graph?: ModelGraph;
  /** The network with another graph, which was derived from its own. */
  withGraph?(graph: ModelGraph): DiffusionNetwork;
  readonly patches?: readonly GraphPatch[];
  /** The network with one more patch. Rejects when the graph lacks the patched part or does not name it. */
  withPatch?(patch: GraphPatch, signal: AbortSignal): Promise<DiffusionNetwork>;
  /** The network with an adapter's weights added. Rejects when they do not fit. */
  withAdapter?(adapter: AnyAdapter, strength: number): Promise<DiffusionNetwork>;
}
