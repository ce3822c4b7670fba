/** Builds a graph for any node type: links come from a table of sources, literals from their defaults. */

import type { WorkflowFiles } from '#core/image-workflows/files/workflow-files.ts';
import { choicesOf } from '#core/image-workflows/nodes/kernel/describe.ts';
import { expandInputs } from '#core/image-workflows/nodes/kernel/dynamic-inputs.ts';
import type { Input } from '#core/image-workflows/nodes/kernel/inputs.ts';
import type { AnyNode, Inputs } from '#core/image-workflows/nodes/kernel/node-type.ts';

export interface ApiGraphNode {
  class_type: string;
  inputs: Record<string, unknown>;
}

const link = (node: string, slot = 0) => [node, slot];

/** A small video for the nodes of models of videos. */
const VIDEO = { width: 64, height: 64, length: 9 };

/**
 * The nodes that output a value of each type. `Drawing`, `Voxels`, `Losses`, `AudioAutoencoder`,
 * `ShapeAutoencoder`, `TrainedLora`, `VideoAutoencoder` and `VideoLatent` are test nodes.
 */
const SOURCES: Record<string, ApiGraphNode> = {
  image: { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 8421504 } },
  mask: { class_type: 'SolidMask', inputs: { value: 0.5, width: 16, height: 16 } },
  checkpoint: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'tiny' } },
  latent: { class_type: 'EmptyLatentImage', inputs: { width: 64, height: 64, batch_size: 1 } },
  prompt: { class_type: 'CLIPTextEncode', inputs: { text: 'a cat', clip: link('checkpoint', 1) } },
  sigmas: { class_type: 'KarrasScheduler', inputs: { steps: 2, sigma_max: 14, sigma_min: 0.03, rho: 7 } },
  sampler: { class_type: 'KSamplerSelect', inputs: { sampler_name: 'euler' } },
  noise: { class_type: 'RandomNoise', inputs: { noise_seed: 5 } },
  guider: {
    class_type: 'BasicGuider',
    inputs: { model: link('checkpoint'), conditioning: link('prompt') },
  },
  operation: { class_type: 'LatentOperationTonemapReinhard', inputs: { multiplier: 1 } },
  upscaler: { class_type: 'UpscaleModelLoader', inputs: { model_name: 'x2.onnx' } },
  control: { class_type: 'ControlNetLoader', inputs: { control_net_name: 'colors' } },
  range: { class_type: 'ConditioningTimestepsRange', inputs: { start_percent: 0, end_percent: 0.5 } },
  vector: { class_type: 'TabdEmbedText', inputs: { text: 'a cat', model: '' } },
  text: { class_type: 'PrimitiveString', inputs: { value: 'a cat' } },
  audio: { class_type: 'EmptyAudio', inputs: { duration: 0.01, sample_rate: 8000, channels: 2 } },
  speech: { class_type: 'EmptyAudio', inputs: { duration: 0.1, sample_rate: 16_000, channels: 1 } },
  audioEncoder: { class_type: 'AudioEncoderLoader', inputs: { audio_encoder_name: 'small.safetensors' } },
  audioEncoderOutput: {
    class_type: 'AudioEncoderEncode',
    inputs: { audio_encoder: link('audioEncoder'), audio: link('speech') },
  },
  video: { class_type: 'CreateVideo', inputs: { images: link('image'), fps: 8, audio: link('audio') } },
  drawing: { class_type: 'Drawing', inputs: {} },
  voxels: { class_type: 'Voxels', inputs: {} },
  mesh: { class_type: 'VoxelToMeshBasic', inputs: { voxel: link('voxels'), threshold: 0.6 } },
  losses: { class_type: 'Losses', inputs: {} },
  lora: { class_type: 'TrainedLora', inputs: {} },
  shapeVae: { class_type: 'ShapeAutoencoder', inputs: {} },
  audioVae: { class_type: 'AudioAutoencoder', inputs: {} },
  videoVae: { class_type: 'VideoAutoencoder', inputs: {} },
  videoLatent: { class_type: 'VideoLatent', inputs: {} },
  camera: { class_type: 'WanCameraEmbedding', inputs: { camera_pose: 'Static', ...VIDEO } },
  audioLatent: { class_type: 'EmptyLatentAudio', inputs: { seconds: 1, batch_size: 1 } },
  hooks: {
    class_type: 'CreateHookLoraModelOnly',
    inputs: { lora_name: 'model.safetensors', strength_model: 1 },
  },
  keyframe: { class_type: 'CreateHookKeyframe', inputs: { strength_mult: 1, start_percent: 0 } },
  network: { class_type: 'UNETLoader', inputs: { unet_name: 'small', weight_dtype: 'default' } },
  unet: { class_type: 'UNETLoader', inputs: { unet_name: 'unet', weight_dtype: 'default' } },
  sd3: { class_type: 'UNETLoader', inputs: { unet_name: 'sd3', weight_dtype: 'default' } },
  flux: { class_type: 'UNETLoader', inputs: { unet_name: 'flux', weight_dtype: 'default' } },
  vision: { class_type: 'CLIPVisionLoader', inputs: { clip_name: 'small' } },
  visionOutput: {
    class_type: 'CLIPVisionEncode',
    inputs: { clip_vision: link('vision'), image: link('image'), crop: 'center' },
  },
  gligen: { class_type: 'GLIGENLoader', inputs: { gligen_name: 'boxes' } },
  style: { class_type: 'StyleModelLoader', inputs: { style_model_name: 'colors.onnx' } },
  encoder: { class_type: 'CLIPLoader', inputs: { clip_name: 'small', type: 'stable_diffusion' } },
};

const LINKS: Record<string, unknown[]> = {
  IMAGE: link('image'),
  MASK: link('mask'),
  LATENT: link('latent'),
  MODEL: link('checkpoint', 0),
  CLIP: link('checkpoint', 1),
  VAE: link('checkpoint', 2),
  CONDITIONING: link('prompt'),
  SIGMAS: link('sigmas'),
  SAMPLER: link('sampler'),
  NOISE: link('noise'),
  GUIDER: link('guider'),
  LATENT_OPERATION: link('operation'),
  UPSCALE_MODEL: link('upscaler'),
  CONTROL_NET: link('control'),
  WAN_CAMERA_EMBEDDING: link('camera'),
  AUDIO_ENCODER: link('audioEncoder'),
  AUDIO_ENCODER_OUTPUT: link('audioEncoderOutput'),
  CLIP_VISION: link('vision'),
  CLIP_VISION_OUTPUT: link('visionOutput'),
  STYLE_MODEL: link('style'),
  GLIGEN: link('gligen'),
  TIMESTEPS_RANGE: link('range'),
  VECTOR: link('vector'),
  AUDIO: link('audio'),
  VIDEO: link('video'),
  SVG: link('drawing'),
  VOXEL: link('voxels'),
  MESH: link('mesh'),
  LOSS_MAP: link('losses'),
  LORA_MODEL: link('lora'),
  HOOKS: link('hooks'),
  HOOK_KEYFRAMES: link('keyframe'),
  '*': link('text'),
};

/** Literals for inputs without a default. */
const LITERALS: Record<string, unknown> = { INT: 1, FLOAT: 1, STRING: 'a cat', BOOLEAN: true };

/** The renderings that an editor sends with a model file. */
const renderedView = {
  image: 'given.png',
  mask: 'given.png',
  normal: 'given.png',
  lineart: 'given.png',
  recording: '',
  camera_info: { zoom: 1 },
};

/** Inputs of node types that need other values. */
const SPECIAL_INPUTS: Record<string, Record<string, unknown>> = {
  Load3D: { image: renderedView },
  Load3DAnimation: { image: renderedView },
  LoadImageSetFromFolderNode: { folder: 'set' },
  LoadImageTextSetFromFolderNode: { folder: 'set' },
  LoadImageDataSetFromFolder: { folder: 'set' },
  LoadImageTextDataSetFromFolder: { folder: 'set' },
  LoadImageOutput: { image: 'made.png [output]' },
  WebcamCapture: { image: 'given.png' },
  RecordAudio: { audio: 'given.flac' },
  SamplerER_SDE: { solver_type: 'ER-SDE' },
  LoraLoader: { model: link('network'), clip: link('encoder'), lora_name: 'both.safetensors' },
  LoraLoaderModelOnly: { model: link('network'), lora_name: 'model.safetensors' },
  LoraModelLoader: { model: link('network') },
  TrainLoraNode: { model: link('network'), steps: 1 },
  DualCLIPLoader: { type: 'flux' },
  DiffControlNetLoader: { model: link('network'), control_net_name: 'difference' },
  LoraSave: { model_diff: link('network'), text_encoder_diff: link('encoder') },
  unCLIPCheckpointLoader: { ckpt_name: 'variations' },
  ImageOnlyCheckpointLoader: { ckpt_name: 'variations' },
  // The small text encoder sees no images.
  TextEncodeQwenImageEdit: { image: undefined },
  TextEncodeQwenImageEditPlus: { image1: undefined, image2: undefined, image3: undefined },
  AudioEncoderEncode: { audio: link('speech') },
  VAEEncodeAudio: { vae: link('audioVae') },
  VAEDecodeHunyuan3D: { vae: link('shapeVae') },
  Hunyuan3Dv2ConditioningMultiView: { front: link('visionOutput') },
  VAEDecodeAudio: { vae: link('audioVae'), samples: link('audioLatent') },
  StableCascade_StageC_VAEEncode: { compression: 4 },
  CustomCombo: { choice: 'a written option' },
  ComfyMathExpression: { expression: 'a / 2' },
};

/** Nodes that patch a UNet. They need a graph with the names of its layers. */
const UNET_PATCHES =
  /^(PerturbedAttentionGuidance|SelfAttentionGuidance|FreeU|FreeU_V2|HyperTile|TomePatchModel|PatchModelAddDownscale|HypernetworkLoader)$/;

/** Values for the inputs of nodes that need special ones, such as models with readable weights. */
const specialInputs = (name: string): Record<string, unknown> => {
  if (/^ModelMerge/.test(name)) return { model1: link('network'), model2: link('network') };
  // The small autoencoder has other latents.
  if (name === 'Wan22ImageToVideoLatent') return { ...VIDEO, start_image: undefined };
  // The small autoencoder has other latents.
  if (/^Cosmos.*VideoLatent$/.test(name)) return { ...VIDEO, start_image: undefined, end_image: undefined };
  // Latents of a small autoencoder of images: it makes no video of a batch.
  if (name === 'WanVaceToVideo') return { ...VIDEO, reference_image: undefined };
  if (/^LTXV(AddGuide|CropGuides)$/.test(name)) return { latent: link('videoLatent') };
  if (/^Wan(Animate|SoundImage)ToVideo$/.test(name)) return { ...VIDEO, vae: link('videoVae') };
  // The audio encoder of the test is none of Whisper.
  if (name === 'WanHuMoImageToVideo') return { ...VIDEO, audio_encoder_output: undefined };
  if (name === 'WanSoundImageToVideoExtend') return { length: 9, video_latent: link('videoLatent') };
  if (/^(Wan.*Video|WanCameraEmbedding|LTXVImgToVideo|HunyuanImageToVideo)/.test(name)) return VIDEO;
  // Latents of 32 pixels, as the small autoencoder makes them of an image of 16.
  if (name === 'LTXVImgToVideo') return { ...VIDEO, vae: link('probe vae') };
  if (UNET_PATCHES.test(name)) return { model: link('unet') };
  if (/^SkipLayerGuidance/.test(name)) return { model: link(name.endsWith('SD3') ? 'sd3' : 'flux') };
  if (/^CLIPMerge/.test(name)) return { clip1: link('encoder'), clip2: link('encoder') };
  return SPECIAL_INPUTS[name] ?? {};
};

/** A graph with the node under the id `test`, a Probe for each of its outputs, and all nodes that it depends on. */
export async function graphFor(type: AnyNode, files: WorkflowFiles): Promise<Record<string, ApiGraphNode>> {
  const inputs: Record<string, unknown> = {};
  const special = specialInputs(type.name);
  for (const [name, input] of fewestInputs(type.inputs as Inputs)) {
    const value = Object.hasOwn(special, name) ? special[name] : await inputFor(name, input, files);
    if (value !== undefined) inputs[name] = value;
  }
  const graph: Record<string, ApiGraphNode> = { test: { class_type: type.name, inputs } };
  for (const [slot, { type: outputType }] of type.outputs.entries())
    graph[`probe ${slot}`] = {
      class_type: 'Probe',
      inputs: { value: link('test', slot), type: String(outputType) },
    };
  const pending = Object.values(graph);
  while (pending.length > 0) {
    for (const value of Object.values(pending.pop()!.inputs)) {
      const id = Array.isArray(value) ? String(value[0]) : '';
      const source = SOURCES[id];
      if (!source || graph[id]) continue;
      graph[id] = source;
      pending.push(source);
    }
  }
  return graph;
}

/** The inputs by name, with as few members of groups as are needed, and those of the first variants. */
function fewestInputs(inputs: Inputs): [string, Input<unknown, boolean>][] {
  const held = new Map<string, string>();
  for (const [name, { dynamic }] of Object.entries(inputs)) {
    if (dynamic?.kind === 'variants') held.set(name, Object.keys(dynamic.variants)[0]!);
    if (dynamic?.kind === 'group') held.set(`${name}.${dynamic.names[0]}`, '');
  }
  return Object.entries(expandInputs(inputs, held));
}

async function inputFor(
  name: string,
  input: Input<unknown, boolean>,
  files: WorkflowFiles,
): Promise<unknown> {
  const choices = await choicesOf(input, files);
  if (choices) return input.options?.default ?? choices[0];
  const { template } = (input.options ?? {}) as { template?: { allowed_types: string } };
  const type = (template?.allowed_types ?? String(input.type)).split(',')[0]!;
  if (LINKS[type]) return LINKS[type];
  // Two steps are the fewest that show whether the node takes several.
  if (name === 'steps') return Math.max(2, Number(input.options?.min ?? 0));
  const literal = input.options?.default;
  return typeof literal === 'bigint' ? Number(literal) : (literal ?? LITERALS[type]);
}
