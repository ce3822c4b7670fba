/** What flows along the links of a graph, by the type names of `/object_info`. */
import type { FilePath } from '#core/host';
import type { Audio } from '../audio/audio.ts';
import type { AnyAdapter } from '../models/adapters/read-adapter.ts';
import type { Graph } from '../models/graphs/model-graph.ts';
import type { Json } from '../models/model-files/model-folder.ts';
import type { ClipHooks, HookKeyframe, Hooks } from './hooks.ts';
import type { Guider, LatentFormat, ModelPatch, NoiseSource, SamplerFunction } from './sampling.ts';
import type { FloatTensor } from './tensor.ts';
import type {
  Box,
  BoxModel,
  ClipVisionModel,
  ClipVisionOutput,
  ReferencePlacing,
  StyleModel,
  UnclipHint,
} from './vision.ts';

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
  /** [batch, channels, samples], -1 to 1, with the samples a second. */
  AUDIO: Audio;
  VIDEO: Video;
  SVG: Svg;
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
  CONTROL_NET: ControlNet;
  /** null where none were combined. */
  HOOKS: Hooks;
  HOOK_KEYFRAMES: readonly HookKeyframe[];
  CLIP_VISION: ClipVisionModel;
  CLIP_VISION_OUTPUT: ClipVisionOutput;
  STYLE_MODEL: StyleModel;
  GLIGEN: BoxModel;
  UPSCALE_MODEL: UpscaleModel;
  /** [batch, depth, height, width]: how much of a shape is at each place. */
  VOXEL: Voxels;
  MESH: Mesh;
  /** Losses of a training, first to last, as `loss`. */
  LOSS_MAP: unknown;
  '*': unknown;
}

export type ValueType = keyof ValueTypes;

/** Moving pictures, made here or in a file. */
export interface Video {
  /** What they are made of; a file is read at each call. */
  parts(signal: AbortSignal): Promise<VideoParts>;
  size(signal: AbortSignal): Promise<{ width: number; height: number }>;
  /** As an MP4 file without coding the pictures anew; resolves to undefined where that cannot be. */
  asMp4?(
    codec: 'auto' | 'h264',
    texts: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined>;
}

export interface VideoParts {
  /** [pictures, height, width, channels], one after another. */
  readonly images: FloatTensor;
  /** Pictures a second. */
  readonly fps: number;
  readonly audio?: Audio;
}

export interface Voxels {
  /** [batch, depth, height, width]: how much of a shape is at each place. */
  readonly data: FloatTensor;
}

/** Triangles between points in space. */
export interface Mesh {
  /** [batch, points, 3]: x, y, z. */
  readonly vertices: FloatTensor;
  /** [batch, triangles, 3]: places of points. */
  readonly faces: { readonly shape: readonly number[]; readonly data: Uint32Array };
}

/** Drawings as texts. */
export type Svg = string | { readonly data: readonly string[] };

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
  /** The part of the sampling for which the text was encoded; it counts in both. */
  clipRange?: readonly [start: number, end: number];
  /** Adapters for this prompt alone. */
  hooks?: Hooks;
  guidance?: number;
  /** Channels added to the model's input by inpainting models. */
  concatLatent?: FloatTensor;
  concatMask?: FloatTensor;
  /** For models that make variations of pictures. */
  unclip?: readonly UnclipHint[];
  /** For models that enlarge a picture: it, [batch, 3, height, width] in -1..1, and how much noise it gets, 0 to 1. */
  smallPicture?: FloatTensor;
  smallPictureNoise?: number;
  /** For models that look at pictures beside the one they make: unscaled latents. */
  references?: readonly FloatTensor[];
  referencePlacing?: ReferencePlacing;
  /** What is to be where, and the network that is told of it. */
  boxes?: { readonly model: BoxModel; readonly all: readonly Box[] };
  /** The last of the control nets that count. */
  control?: ControlHint;
  /** They count without the prompt, too. */
  controlForBoth?: boolean;
  /** What control nets are told instead of the prompt, [batch, tokens, width]. */
  controlPrompt?: FloatTensor;
  /** Other members travel along: width, height, crop_w … of SDXL. */
  [other: string]: unknown;
}

/** A network beside a UNet that adds to its inner values what a picture asks for. */
export interface ControlNet {
  /** For each prompt, one tensor for each of the UNet's inputs for that. `x` and `timestep` as the UNet gets them. */
  residuals(
    x: FloatTensor,
    timestep: number,
    prompts: readonly Pick<ConditioningEntry, 'tensor' | 'options'>[],
    image: FloatTensor,
    signal: AbortSignal,
    beside?: ControlSight,
  ): Promise<FloatTensor[][]>;
  /** For nets of several kinds in one: which of them; undefined lets the net see by itself. */
  ofType(index: number | undefined): ControlNet;
}

/** What control nets that look at latents need besides. */
export interface ControlSight {
  /** How the network's latents are stored. */
  readonly latent: LatentFormat;
  readonly vae?: VaeModel;
  /** [batch, height, width]: 1 where is to be painted anew. */
  readonly mask?: FloatTensor;
}

/** A control net with its picture; several follow one another. */
export interface ControlHint {
  net: ControlNet;
  /** [batch, height, width, 3] */
  image: FloatTensor;
  strength: number;
  startPercent: number;
  endPercent: number;
  /** For nets that look at latents. */
  vae?: VaeModel;
  mask?: FloatTensor;
  previous?: ControlHint;
}

export interface ClipModel {
  /** Chunks of 77 tokens with weights, by the text encoders of the model. Those in `silent` say nothing at all. */
  encode(
    text: string | Record<string, string>,
    signal: AbortSignal,
    silent?: readonly string[],
  ): Promise<{ tensor: FloatTensor; pooled?: FloatTensor }>;
  /** The same weights read at an earlier layer: -1 is the last. */
  withLastLayer(layer: number): ClipModel;
  /** What `promptsOf` looks at. */
  readonly hooks?: ClipHooks;
  withHooks(hooks: ClipHooks): ClipModel;
  /** The same with other fillings of T5's prompts: tokens after the end, and tokens in all at least. */
  withFilling(filling: { padding: number; least: number }): ClipModel;
  /** The same with an adapter's weights added. Throws where they do not fit. */
  adapted(adapter: AnyAdapter, strength: number): Promise<ClipModel>;
  /** What holds the weights of each of its encoders, by `l`, `g`, `t5xxl`. */
  readonly graphs: ReadonlyMap<string, Graph>;
  /** Folders with the files of its encoders' tokenizers, by the same names. */
  readonly tokenizers?: ReadonlyMap<string, FilePath>;
  /** The same with the weights of graphs made of its own; encoders that are not named stay. */
  withGraphs(graphs: ReadonlyMap<string, Graph>): ClipModel;
}

export interface VaeModel {
  /** [b, h, w, 3] in 0..1, sides multiples of 8 -> unscaled latent samples. */
  encode(pixels: FloatTensor, signal: AbortSignal): Promise<FloatTensor>;
  /** `isWhole` false: a part, whose numbers beyond 0..1 are kept until all parts are together. */
  decode(samples: FloatTensor, signal: AbortSignal, options?: { isWhole: boolean }): Promise<FloatTensor>;
  /** Begins in the background what has to be done before the first picture; `signal` stops that. Never throws. */
  prepare?(signal: AbortSignal): void;
  /** What holds its weights, and its configuration. undefined: it has none. */
  readonly parts?: { readonly decoder: Graph; readonly encoder: Graph | undefined; readonly config: Json };
  readonly latentChannels: number;
  /** Pixels a latent cell: 8. */
  readonly scale: number;
}

export interface UpscaleModel {
  readonly scale: number;
  upscale(pixels: FloatTensor, signal: AbortSignal): Promise<FloatTensor>;
}
