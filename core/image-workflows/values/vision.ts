/** What vision encoders see in pictures, and what is made of it. */
import type { DiffusionNetwork } from './sampling.ts';
import type { FloatTensor } from './tensor.ts';

export interface ClipVisionModel {
  /** `center`: the middle of the picture; `none`: all of it, squeezed into a square. */
  encode(image: FloatTensor, crop: 'center' | 'none', signal: AbortSignal): Promise<ClipVisionOutput>;
  /** Begins in the background what has to be done before it is first used; `signal` stops that. Never throws. */
  prepare?(signal: AbortSignal): void;
}

export interface ClipVisionOutput {
  /** One for each picture, [batch, width]; of SigLIP, its last layer. undefined: the encoder's graph gives none. */
  readonly imageEmbeds: FloatTensor | undefined;
  /** [batch, tokens, width] */
  readonly lastHiddenState: FloatTensor;
  /** What goes into the last layer, [batch, tokens, width]. undefined: the encoder's graph does not tell its layers apart. */
  readonly penultimateHiddenState: FloatTensor | undefined;
}

export interface StyleModel {
  /** Tokens for a prompt, [batch, tokens, width]. */
  tokens(seen: ClipVisionOutput, signal: AbortSignal): Promise<FloatTensor>;
}

/** A picture that a model makes variations of. */
export interface UnclipHint {
  readonly seen: ClipVisionOutput;
  readonly strength: number;
  /** 0 to 1: how far it may be left. */
  readonly noiseAugmentation: number;
}

/** A UNet that is told where in the picture things are to be. */
export interface BoxModel {
  readonly name: string;
  /** With the weights of another network of its kind. Throws where they do not fit. */
  over(network: DiffusionNetwork, signal: AbortSignal): Promise<DiffusionNetwork>;
}

/** What is to be where, in latent cells. */
export interface Box {
  /** The text's summary, [1, width]. */
  readonly summary: FloatTensor;
  readonly height: number;
  readonly width: number;
  readonly y: number;
  readonly x: number;
}

/** How several pictures that are looked at beside the one that is made are placed. */
export type ReferencePlacing = 'offset' | 'index' | 'uxo';
