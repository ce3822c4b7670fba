/** Values of type CONDITIONING: encoded prompts with everything that nodes between text and sampler set on them. */
import type { ControlHint } from './control-net.ts';
import type { GligenModel } from './gligen.ts';
import type { Hooks } from './hooks.ts';
import type { GligenBox, PromptOptions, ReferencePlacement } from './network.ts';
import type { FloatTensor } from './tensor.ts';
import type { VideoGuides } from './video-guides.ts';
import type { ClipVisionOutput, UnclipHint } from './vision.ts';

/** The entries are evaluated separately. Their clean latents are averaged. */
export type Conditioning = ConditioningEntry[];

export interface ConditioningEntry {
  /** [batch, tokens, width] */
  tensor: FloatTensor;
  options: ConditioningOptions;
}

export interface ConditioningOptions extends PromptOptions {
  /** Adapters that count for this prompt alone. */
  hooks?: Hooks;
  region?: RegionOptions;
  schedule?: ScheduleOptions;
  inpainting?: InpaintingOptions;
  /** Images that an unCLIP model makes variations of. */
  unclip?: readonly UnclipHint[];
  upscaling?: UpscalingOptions;
  /** The output of a vision encoder for the image of the prompt. */
  vision?: ClipVisionOutput;
  /** The latent of Stable Cascade's stage C that stage B enlarges. */
  prior?: FloatTensor;
  references?: ReferenceOptions;
  gligen?: GligenOptions;
  video?: VideoOptions;
  guides?: VideoGuides;
  control?: ControlNetOptions;
}

/** Where in the image a prompt counts, and how much. */
export interface RegionOptions {
  /** A rectangle in latent cells, or in fractions of the image. */
  area?: { unit: 'latent' | 'fraction'; height: number; width: number; y: number; x: number };
  strength?: number;
  /** [batch, height, width], 0 to 1, in any size. */
  mask?: FloatTensor;
  maskStrength?: number;
  /** Replaces the area by the bounding box of the mask. */
  areaFromMask?: boolean;
  /** The prompt counts only where the others do not add up to 1. */
  isDefault?: boolean;
}

/** The part of the sampling in which a prompt counts, in shares from 0 to 1. */
export interface ScheduleOptions {
  startPercent?: number;
  endPercent?: number;
  /** The part for which the text was encoded with scheduled hooks. The prompt counts where both parts overlap. */
  encodedRange?: readonly [start: number, end: number];
}

/** Additional input channels of inpainting and image editing models. */
export interface InpaintingOptions {
  /** Unscaled latent samples of the image, or of the frames of a video. */
  latent?: FloatTensor;
  /**
   * [batch, height, width]: 1 where the image is repainted. For videos [batch, 1 or 4, frames, height, width], in cells
   * of the latent; four channels for the frames that share one of the latent.
   */
  mask?: FloatTensor;
  /** So many channels of the image come before those of the mask. Default: none. */
  maskIndex?: number;
  /** How much noise a refiner adds to the image, 0 to 1. Default: none. */
  noise?: number;
}

/** The input of the x4 upscaler of Stable Diffusion 2. */
export interface UpscalingOptions {
  /** [batch, 3, height, width] in -1..1. */
  image: FloatTensor;
  /** 0 to 1: how much noise the image gets. */
  noise: number;
}

/** Images that Flux Kontext attends to. */
export interface ReferenceOptions {
  /** Unscaled latent samples. */
  latents?: readonly FloatTensor[];
  placement?: ReferencePlacement;
}

export interface GligenOptions {
  readonly model: GligenModel;
  readonly boxes: readonly GligenBox[];
}

/** The motion of a video that begins with an image, and the views of a camera. */
export interface VideoOptions {
  /** Frames for each second. */
  frameRate?: number;
  /** The amount of motion, usually 127. */
  motion?: number;
  /** How much noise the image got. */
  augmentation?: number;
  /** The height of the camera above the horizon, in degrees for each frame. */
  elevations?: readonly number[];
  /** The direction of the camera, in degrees for each frame. */
  azimuths?: readonly number[];
}

export interface ControlNetOptions {
  /** The last control net of the chain. */
  hint?: ControlHint;
  /** The control nets count for the negative prompt too. */
  isShared?: boolean;
  /** Replaces the prompt as the input of control nets, [batch, tokens, width]. */
  prompt?: FloatTensor;
}

/** Options that consist of members. Setting some of them keeps the others. */
const GROUPS = [
  'region',
  'schedule',
  'sizes',
  'inpainting',
  'upscaling',
  'references',
  'gligen',
  'timing',
  'music',
  'video',
  'guides',
  'control',
] as const;

/** The conditioning with options set on every entry. A function receives the entry's own options. */
export function withOptions(
  conditioning: Conditioning,
  options: ConditioningOptions | ((own: ConditioningOptions) => ConditioningOptions),
): Conditioning {
  return conditioning.map((entry) => {
    const changes = typeof options === 'function' ? options(entry.options) : options;
    return { ...entry, options: mergeOptions(entry.options, changes) };
  });
}

/** Merges options: a member of `changes` replaces the same member of `own` within each group. */
export function mergeOptions(own: ConditioningOptions, changes: ConditioningOptions): ConditioningOptions {
  const groups = GROUPS.filter((group) => own[group] && changes[group]);
  return {
    ...own,
    ...changes,
    ...Object.fromEntries(groups.map((group) => [group, { ...own[group], ...changes[group] }])),
  };
}
