/** The types of values on the links of a graph, by their names in `/object_info`. */
import type { Audio } from '../audio/audio.ts';
import type { AudioEncoder, AudioEncoderOutput } from './audio-encoder.ts';
import type { BlockControlNet } from './block-control.ts';
import type { ClipModel } from './clip-model.ts';
import type { Conditioning } from './conditioning.ts';
import type { ControlNet } from './control-net.ts';
import type { DiffusionModel } from './diffusion-model.ts';
import type { GligenModel } from './gligen.ts';
import type { Guider } from './guider.ts';
import type { HookKeyframe, Hooks } from './hooks.ts';
import type { LatentUpscaleModel, UpscaleModel, VaeModel } from './image-models.ts';
import type { Latent, NoiseSource } from './latent.ts';
import type { LoraWeights } from './lora-weights.ts';
import type { Mesh, Svg, Video, Voxels } from './media.ts';
import type { SamplerFunction } from './sampler.ts';
import type { FloatTensor } from './tensor.ts';
import type { ClipVisionModel, ClipVisionOutput, PhotoMaker, StyleModel } from './vision.ts';

export interface ValueTypes {
  INT: number | bigint;
  FLOAT: number;
  STRING: string;
  BOOLEAN: boolean;
  /** One of several names. */
  COMBO: string;
  /** [batch, height, width, channels], 0 to 1, with 1, 3 or 4 channels. */
  IMAGE: FloatTensor;
  /** [batch, height, width], 0 to 1. Inputs of this type also take [height, width]. */
  MASK: FloatTensor;
  /** [batch, channels, samples], -1 to 1, with the sample rate. */
  AUDIO: Audio;
  VIDEO: Video;
  SVG: Svg;
  LATENT: Latent;
  CONDITIONING: Conditioning;
  /** [steps + 1], in descending order. */
  SIGMAS: FloatTensor;
  NOISE: NoiseSource;
  SAMPLER: SamplerFunction;
  GUIDER: Guider;
  MODEL: DiffusionModel;
  CLIP: ClipModel;
  VAE: VaeModel;
  CONTROL_NET: ControlNet;
  /** null when no hooks were combined. */
  HOOKS: Hooks;
  HOOK_KEYFRAMES: readonly HookKeyframe[];
  CLIP_VISION: ClipVisionModel;
  CLIP_VISION_OUTPUT: ClipVisionOutput;
  AUDIO_ENCODER: AudioEncoder;
  AUDIO_ENCODER_OUTPUT: AudioEncoderOutput;
  STYLE_MODEL: StyleModel;
  PHOTOMAKER: PhotoMaker;
  /** The style projector of USO, or a control net between the blocks of Qwen-Image. */
  MODEL_PATCH: StyleModel | BlockControlNet;
  GLIGEN: GligenModel;
  UPSCALE_MODEL: UpscaleModel;
  LATENT_UPSCALE_MODEL: LatentUpscaleModel;
  /** Rays of a camera, [1, 24, frames of the latent, height, width]: six numbers for each of four frames. */
  WAN_CAMERA_EMBEDDING: FloatTensor;
  VOXEL: Voxels;
  MESH: Mesh;
  /** The losses of a training in order, under the key `loss`. */
  LOSS_MAP: unknown;
  LORA_MODEL: LoraWeights;
  '*': unknown;
}

export type ValueType = keyof ValueTypes;
