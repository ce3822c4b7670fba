/** Prompts that are images: the beginning of a video, or an object that a camera sees from all sides. */
import { imageRaster, rasterToImage, withChannels } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import { TorchGenerator } from '../../sampling/random/torch-generator.ts';
import { combine } from '../../sampling/tensor-math.ts';
import type { Conditioning, ConditioningOptions } from '../../values/conditioning.ts';
import type { VaeModel } from '../../values/image-models.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import type { ClipVisionModel } from '../../values/vision.ts';
import { float, int, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const side = (value: number) => int({ default: value, min: 16, max: 16384, step: 8 });
const frames = (value: number) => int({ default: value, min: 1, max: 4096 });
const outputs = [
  output('CONDITIONING', 'positive'),
  output('CONDITIONING', 'negative'),
  output('LATENT', 'latent'),
];

interface ImagePrompt {
  clip_vision: ClipVisionModel;
  init_image: FloatTensor;
  vae: VaeModel;
  width: number;
  height: number;
}

/** The image as an embedding [1, images, width], and as unscaled latents. Rejects when the encoder makes no embeddings. */
async function encodeImage(
  { clip_vision, init_image, vae, width, height }: ImagePrompt,
  signal: AbortSignal,
  noise = 0,
): Promise<{ embedding: FloatTensor; latent: FloatTensor }> {
  const { imageEmbeds } = await clip_vision.encode(init_image, 'center', signal);
  if (!imageEmbeds)
    throw new TypeError('the vision encoder makes no embeddings of images: use the one of this checkpoint');
  const raster = withChannels(imageRaster(init_image), 3);
  const pixels = rasterToImage(resize(raster, width, height, 'bilinear', 'center'));
  // ComfyUI draws this noise without a seed.
  const noisy =
    noise > 0 ? combine([1, pixels], [noise, new TorchGenerator(0n).normal(pixels.shape)]) : pixels;
  return {
    embedding: { shape: [1, ...imageEmbeds.shape], data: imageEmbeds.data },
    latent: await vae.encode(noisy, signal),
  };
}

/** The prompt, and one without an image. */
function bothPrompts(
  tensor: FloatTensor,
  latent: FloatTensor,
  options: ConditioningOptions,
): [positive: Conditioning, negative: Conditioning] {
  const entry = (prompt: FloatTensor, image: FloatTensor): Conditioning => [
    { tensor: prompt, options: { ...options, inpainting: { latent: image } } },
  ];
  return [entry(tensor, latent), entry(zeros(tensor.shape), zeros(latent.shape))];
}

const empty = (batch: number, { width, height }: ImagePrompt) => ({
  samples: zeros([batch, 4, Math.floor(height / 8), Math.floor(width / 8)]),
});

const stableVideo = node({
  name: 'SVD_img2vid_Conditioning',
  displayName: 'SVD_img2vid_Conditioning',
  category: 'conditioning/video_models',
  module: 'comfy_extras.nodes_video_model',
  description: 'Makes prompts of Stable Video Diffusion from the image with which the video begins.',
  inputs: {
    clip_vision: link('CLIP_VISION', undefined),
    init_image: link('IMAGE', undefined),
    vae: link('VAE', undefined),
    width: side(1024),
    height: side(576),
    video_frames: frames(14),
    motion_bucket_id: int({ default: 127, min: 1, max: 1023 }),
    fps: int({ default: 6, min: 1, max: 1024 }),
    augmentation_level: float({ default: 0.0, min: 0.0, max: 10.0, step: 0.01 }),
  },
  outputs,
  async run(inputs, { signal }) {
    const { video_frames, motion_bucket_id: motion, fps: frameRate, augmentation_level } = inputs;
    const { embedding, latent } = await encodeImage(inputs, signal, augmentation_level);
    const video = { motion, frameRate, augmentation: augmentation_level };
    return [...bothPrompts(embedding, latent, { video }), empty(video_frames, inputs)];
  },
});

const orbit = node({
  name: 'SV3D_Conditioning',
  category: 'conditioning/3d_models',
  module: 'comfy_extras.nodes_stable3d',
  modern: true,
  description: 'Makes prompts of SV3D: a camera turns around the object of an image.',
  inputs: {
    clip_vision: link('CLIP_VISION'),
    init_image: link('IMAGE'),
    vae: link('VAE'),
    width: side(576),
    height: side(576),
    video_frames: frames(21),
    elevation: float({ default: 0.0, min: -90.0, max: 90.0, step: 0.1, round: false }),
  },
  outputs,
  async run(inputs, { signal }) {
    const { video_frames, elevation } = inputs;
    const { embedding, latent } = await encodeImage(inputs, signal);
    const step = 360 / (Math.max(video_frames, 2) - 1);
    const video = {
      elevations: Array.from({ length: video_frames }, () => elevation),
      azimuths: Array.from({ length: video_frames }, (_, frame) => frame * step),
    };
    return [...bothPrompts(embedding, latent, { video }), empty(video_frames, inputs)];
  },
});

const angle = () => float({ default: 0.0, min: -180.0, max: 180.0, step: 0.1, round: false });
const viewInputs = {
  clip_vision: link('CLIP_VISION'),
  init_image: link('IMAGE'),
  vae: link('VAE'),
  width: side(256),
  height: side(256),
  batch_size: int({ default: 1, min: 1, max: 4096 }),
  elevation: angle(),
  azimuth: angle(),
};
const viewNode = {
  category: 'conditioning/3d_models',
  module: 'comfy_extras.nodes_stable3d',
  modern: true,
  outputs,
} as const;

interface View {
  elevation: number;
  azimuth: number;
}

/** The change of the camera from the image, as Zero123 takes it (Liu et al., 2023, section 3.2): [views, 1, width + 4]. */
function withViews({ shape, data }: FloatTensor, views: readonly View[]): FloatTensor {
  const width = shape.at(-1)!;
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const rows = views.flatMap(({ elevation, azimuth }) => [
    ...data.subarray(0, width),
    radians(90 - elevation - 90),
    Math.sin(radians(azimuth)),
    Math.cos(radians(azimuth)),
    radians(90),
  ]);
  return { shape: [views.length, 1, width + 4], data: Float32Array.from(rows) };
}

const view = node({
  ...viewNode,
  name: 'StableZero123_Conditioning',
  description: 'Makes prompts of Zero123: the object of an image, seen from another side.',
  inputs: viewInputs,
  async run(inputs, { signal }) {
    const { batch_size, ...camera } = inputs;
    const { embedding, latent } = await encodeImage(inputs, signal);
    return [...bothPrompts(withViews(embedding, [camera]), latent, {}), empty(batch_size, inputs)];
  },
});

const views = node({
  ...viewNode,
  name: 'StableZero123_Conditioning_Batched',
  description: 'Makes prompts of Zero123: the object of an image, seen from several other sides.',
  inputs: { ...viewInputs, elevation_batch_increment: angle(), azimuth_batch_increment: angle() },
  async run(inputs, { signal }) {
    const { batch_size, elevation, azimuth } = inputs;
    const { elevation_batch_increment: up, azimuth_batch_increment: around } = inputs;
    const { embedding, latent } = await encodeImage(inputs, signal);
    const cameras = Array.from({ length: batch_size }, (_, index) => ({
      elevation: elevation + index * up,
      azimuth: azimuth + index * around,
    }));
    const batch = { ...empty(batch_size, inputs), batchIndex: Array<number>(batch_size).fill(0) };
    return [...bothPrompts(withViews(embedding, cameras), latent, {}), batch];
  },
});

/** The nodes in the order of `/object_info`. */
export const imageToVideoNodes: AnyNode[] = [stableVideo, orbit, view, views];
