/** The parts that sampling is put together from. Their mathematics lives in `sampling/`. */

import type { Tensor } from '#core/host';
import type { GraphOutline } from '#core/tensors';
import type { AnyAdapter } from '../models/adapters/read-adapter.ts';
import type { GraphChange } from '../models/graphs/graph-edits.ts';
import type { Graph } from '../models/graphs/model-graph.ts';
import type { Json } from '../models/model-files/model-folder.ts';
import type { NetworkKind } from '../models/networks/network-kind.ts';
import type { ModelSampling } from '../sampling/model-sampling/types.ts';
import type { Sampler } from '../sampling/samplers/types.ts';
import type { FloatTensor } from './tensor.ts';
import type { Conditioning, ConditioningOptions, Latent } from './types.ts';
import type { ReferencePlacing } from './vision.ts';

export type { ModelSampling, Sampler };

/** Draws the noise that a latent starts from, shaped as its samples. */
export interface NoiseSource {
  /** 64 bits unsigned; the CPU generator looks at the low 32. */
  readonly seed: bigint;
  generate(latent: Latent): FloatTensor;
}

export interface SamplerFunction {
  readonly name: string;
  readonly sampler: Sampler;
  /** Under a mask, the kept part gets noise of its own. */
  readonly ownMaskNoise?: boolean;
}

/** How a model's latents are stored: the network sees (samples - shiftFactor) * scaleFactor. */
export interface LatentFormat {
  readonly channels: number;
  readonly scaleFactor: number;
  readonly shiftFactor: number;
  /** For previews: the red, green and blue of each channel, and of nothing. */
  readonly colours?: { readonly factors: readonly (readonly number[])[]; readonly bias: readonly number[] };
}

/** What guidance is worked out from, all clean latents but `x`. */
export interface GuidanceValues {
  readonly x: FloatTensor;
  readonly sigma: number;
  readonly cond: FloatTensor;
  readonly uncond: FloatTensor;
  readonly scale: number;
  /** Under the guidance's further prompt. */
  readonly besides?: FloatTensor;
  /** What changes took out of the network without the prompt, of one run after another, where `Guidance.takes`. */
  readonly taken?: readonly Readonly<Record<string, FloatTensor>>[];
}

/** What nodes change in how a clean latent is made of those with and without the prompt. */
export interface Guidance {
  /** Before anything else, e.g. to project one onto the other. */
  readonly before: readonly ((values: GuidanceValues) => GuidanceValues)[];
  /** A further prompt that the model is asked about at each step. */
  readonly besides?: Conditioning;
  /** Instead of uncond + scale (cond - uncond). */
  readonly combine?: (values: GuidanceValues) => FloatTensor;
  /** On the result, in turn. */
  readonly after: readonly AfterGuidance[];
  /** Keys of changes to the inside of the network that are on when it is asked without the prompt. */
  readonly onWithout?: (sigma: number) => ReadonlySet<string>;
  /** Whether `GuidanceValues.taken` is wanted. */
  readonly takes?: boolean;
}

/** `ask`: a further look by the model at the same noise level. */
export type AfterGuidance = ((
  values: GuidanceValues & { denoised: FloatTensor },
  ask: AskModel,
) => FloatTensor | Promise<FloatTensor>) & {
  /** It does not look at `uncond`, which is not computed for it then. */
  readonly ofPromptAlone?: true;
};

/** The clean latent that the model sees in `x` with or without the prompt, with a change to its inside in force. */
export type AskModel = (prompt: 'with' | 'without', x: FloatTensor, inForce: InForce) => Promise<FloatTensor>;

/** What changes to the inside of a network are told of a run. */
export interface InForce {
  /** Keys of those that are off unless they are named. */
  readonly switches?: ReadonlySet<string>;
  /** Gets what changes take out of the network, [batch, …] for each of their outputs. */
  readonly taken?: (values: Readonly<Record<string, FloatTensor>>) => void;
}

/** One prompt as a network gets it, fitted to its input. */
export interface NetworkPrompt {
  /** [batch, tokens, width] */
  readonly tensor: FloatTensor;
  readonly options: ConditioningOptions;
  /** Channels put after those of the input: [batch, channels, height, width]. */
  readonly concat?: FloatTensor;
  /** What control nets add, one tensor for each of the network's inputs for that. */
  readonly control?: readonly FloatTensor[];
  /** What the network is told of a picture, or of the noise in one: [batch] or [batch, width]. */
  readonly classLabels?: FloatTensor;
  /** Pictures that the network looks at beside its own, as it sees latents. */
  readonly references?: { readonly latents: readonly FloatTensor[]; readonly placing: ReferencePlacing };
  /** Only those of one object run as one batch. */
  readonly inForce?: InForce;
  /** The noise level of the input. */
  readonly sigma?: number;
}

/** A change to the inside of a network: nodes put between those of its graph. */
export interface InsideChange {
  /** Two changes of one key are the same. */
  readonly key: string;
  /** Throws where the graph does not have, or name, what is changed. */
  change(outline: GraphOutline, signal: AbortSignal): InsideParts | Promise<InsideParts>;
  /** Names of the outputs that it adds, for `InForce.taken`. */
  readonly outputs?: readonly string[];
}

/** Without nodes and fields the network stays as it is. */
export interface InsideParts extends Pick<GraphChange, 'insertions' | 'fields'> {
  /** What the inputs that are added get in a run. */
  readonly feeds?: (run: InsideRun) => Readonly<Record<string, Tensor>>;
}

export interface InsideRun {
  /** [batch, channels, height, width], for each prompt. */
  readonly x: FloatTensor;
  readonly timestep: number;
  /** The noise level that the time stands for, where the sampling has told it. */
  readonly sigma: number | undefined;
  readonly prompts: readonly NetworkPrompt[];
  readonly switches: ReadonlySet<string>;
}

/** A network with its weights on a device. */
export interface DiffusionNetwork {
  /**
   * The raw outputs for one input under several conditionings, in their order and the input's shape. Rejects with the
   * signal's reason, or the engine's error.
   */
  predict(
    x: FloatTensor,
    timestep: number,
    prompts: readonly NetworkPrompt[],
    signal: AbortSignal,
  ): Promise<FloatTensor[]>;
  /** Begins in the background what has to be done before it is first used; `signal` stops that. Never throws. */
  prepare?(signal: AbortSignal): void;
  /** What holds its weights. undefined: they are its own, as `adapted` and `withGraph` are. */
  readonly graph?: Graph;
  /** The same with the weights of a graph made of its own. */
  withGraph?(graph: Graph): DiffusionNetwork;
  /** Changes to its inside that it has. */
  readonly inside?: readonly InsideChange[];
  /** The same with its inside changed. Throws where the graph does not have, or name, what is changed. */
  withInside?(change: InsideChange, signal: AbortSignal): Promise<DiffusionNetwork>;
  /** The same with an adapter's weights added. Throws where they do not fit. undefined: its weights are its own. */
  adapted?(adapter: AnyAdapter, strength: number): Promise<DiffusionNetwork>;
}

/** When what a model answered at an earlier step is taken again instead of asking it. */
export interface ReuseOptions {
  /** The network's answer to each prompt, or the guided latent as a whole. */
  readonly of: 'network' | 'guided';
  /** How large a share of an answer the estimated change may be; 0: never. */
  readonly threshold: number;
  /** Share of the sampling, 0 to 1. */
  readonly startPercent: number;
  readonly endPercent: number;
  /** Is told what is done at each step. */
  readonly log?: (line: string) => void;
}

/** A model with what nodes have set on it; nodes copy, never change. */
export interface ModelPatch {
  readonly network: DiffusionNetwork;
  readonly sampling: ModelSampling;
  readonly latent: LatentFormat;
  readonly guidance: Guidance;
  /** What the network takes beside the noisy latent: for inpainting a mask and the rest of the picture, or a picture to change. */
  readonly concat?: 'mask and picture' | 'picture';
  /** What the network takes of a prompt's pictures in some other way. Throws where they are not for it. */
  readonly pictures?: (options: ConditioningOptions, run: PictureRun) => PromptPictures;
  /** How a mask of several greys is read at a noise level. Default: as it is. */
  readonly maskAt?: (mask: FloatTensor, sigma: number, sigmas: Float32Array) => FloatTensor;
  readonly reuse?: ReuseOptions;
  /** What its files say beside the weights. undefined: there are none to be saved. */
  readonly facts?: ModelFacts;
}

export interface ModelFacts {
  readonly kind: NetworkKind;
  /** Of the network, as its `config.json` has it. */
  readonly config: Json;
  /** As `scheduler_config.json` has it: how the network was trained, or is taken to have been. */
  readonly scheduler: Json;
}

export interface PictureRun {
  /** [batch, channels, height, width] of all of the latent. */
  readonly shape: readonly number[];
  readonly seed: bigint;
}

/** `pooled`: in place of the prompt's own. */
export type PromptPictures = Pick<NetworkPrompt, 'concat' | 'classLabels' | 'references'> & {
  readonly pooled?: FloatTensor;
};

/** One run's model with its conditioning. */
export interface GuidedModel {
  denoise(x: FloatTensor, sigma: number): Promise<FloatTensor>;
  denoiseBoth(x: FloatTensor, sigma: number): Promise<{ denoised: FloatTensor; uncond: FloatTensor }>;
}

/** What sampling begins with: inpainting models look at it. */
export interface SamplingStart {
  /** As the network sees it, without noise. */
  readonly latent: FloatTensor;
  /** 1 where noise is wanted. */
  readonly mask: FloatTensor | undefined;
  /** Default: 0. */
  readonly seed?: bigint;
}

/** A model with its conditioning: what turns noise into a picture, step by step. */
export interface Guider {
  readonly model: ModelPatch;
  /** Fits the conditioning to samples of this shape. */
  open(shape: readonly number[], signal: AbortSignal, start?: SamplingStart): GuidedModel;
}
