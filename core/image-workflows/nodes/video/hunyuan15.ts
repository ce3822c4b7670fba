/** Prompts with images and latents for Hunyuan Video 1.5. */
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { planesToRaster, rasterToPlanes } from '../../images/rasters.ts';
import { CROPS, LATENT_METHODS, type ResizeMethod, resize } from '../../images/resize/resize.ts';
import { roundHalfEven } from '../../images/rounding.ts';
import { openLatentUpscaler } from '../../models/upscaling/latent-upscaler.ts';
import { concatChannels, toBatch } from '../../values/batches.ts';
import { type ConditioningOptions, withOptions } from '../../values/conditioning.ts';
import { asFrames } from '../../values/single-frames.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import { byFrames, fromFrames } from '../../values/video-frames.ts';
import { choice, float, int, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { modelFingerprint } from '../model/model-fingerprint.ts';
import {
  bothPrompts,
  encodeFrames,
  framesOf,
  promptOutputs,
  videoInputs,
  withFirstFrames,
} from './given-frames.ts';

const CHANNELS = 32;
/** Pixels of a latent cell along each side. */
const CELL = 16;
/** Frames of a video for each frame of a latent, but the first. */
const FRAMES = 4;
const FOLDER = 'latent_upscale_models';

const shared = {
  category: 'conditioning/video_models',
  module: 'comfy_extras.nodes_hunyuan',
  modern: true,
  outputs: promptOutputs,
} as const;
const image = () => optional(link('IMAGE'));
const seen = () => optional(link('CLIP_VISION_OUTPUT'));

const imageToVideo = node({
  ...shared,
  name: 'HunyuanVideo15ImageToVideo',
  description: 'Adds the first frames of a video to prompts, and creates an empty latent.',
  inputs: {
    ...bothPrompts(),
    vae: link('VAE'),
    ...videoInputs(848, 480, 33, { side: CELL, frames: FRAMES }),
    start_image: image(),
    clip_vision_output: seen(),
  },
  async run(values, { signal }) {
    const { positive, negative, vae, batch_size, start_image, clip_vision_output, ...size } = values;
    const sides = [Math.floor(size.height / CELL), Math.floor(size.width / CELL)] as const;
    const shape = [Math.floor((size.length - 1) / FRAMES) + 1, ...sides] as const;
    const options: ConditioningOptions = { ...(clip_vision_output && { vision: clip_vision_output }) };
    if (start_image) {
      const first = framesOf(start_image, size);
      const latent = withFirstFrames(zeros([1, CHANNELS, ...shape]), await encodeFrames(vae, first, signal));
      const mask = full([1, 1, ...shape], 1);
      mask.data.fill(0, 0, (Math.floor((first.batch - 1) / FRAMES) + 1) * sides[0] * sides[1]);
      options.inpainting = { latent, mask };
    }
    const prompts = [positive, negative].map((prompt) => withOptions(prompt, options));
    return [...prompts, { samples: zeros([batch_size, CHANNELS, ...shape]) }];
  },
});

const superResolution = node({
  ...shared,
  name: 'HunyuanVideo15SuperResolution',
  category: 'sd',
  description: 'Adds an enlarged latent to prompts, for the distilled model that sharpens it.',
  inputs: {
    ...bothPrompts(),
    vae: optional(link('VAE')),
    start_image: image(),
    clip_vision_output: seen(),
    latent: link('LATENT'),
    noise_augmentation: float({ default: 0.7, min: 0.0, max: 1.0, step: 0.01, advanced: true }),
  },
  async run(
    { positive, negative, vae, start_image, clip_vision_output, latent, noise_augmentation },
    context,
  ) {
    const { samples } = latent;
    const video = samples.shape.length === 4 ? asFrames(samples) : samples;
    const [batch = 1, channels = 1, ...sides] = video.shape;
    const refined = concatChannels(video, full([batch, 1, ...sides], 1));
    let all = concatChannels(zeros([batch, channels + 1, ...sides]), refined);
    if (start_image) {
      if (!vae)
        throw new TypeError('a start image needs the autoencoder of Hunyuan Video 1.5: link it to vae');
      const [, height = 1, width = 1] = sides;
      const size = { width: width * CELL, height: height * CELL, length: Number.POSITIVE_INFINITY };
      const first = framesOf(start_image, size);
      all = withFirstFrames(all, await encodeFrames(vae, first, context.signal));
      // ComfyUI marks the first frame in this channel, after that of the mask.
      all = withFirstFrames(all, full([1, 1, 1, height, width], 1), channels + 1);
    }
    const options: ConditioningOptions = {
      inpainting: { latent: all, noise: noise_augmentation },
      ...(clip_vision_output && { vision: clip_vision_output }),
    };
    return [withOptions(positive, options), withOptions(negative, options), latent];
  },
});

const upscaleWithModel = node({
  name: 'HunyuanVideo15LatentUpscaleWithModel',
  displayName: 'Hunyuan Video 15 Latent Upscale With Model',
  category: 'latent',
  module: shared.module,
  modern: true,
  description:
    'Resizes latents of a video to a width and a height in pixels, and sharpens them with a model.',
  inputs: {
    model: link('LATENT_UPSCALE_MODEL'),
    samples: link('LATENT'),
    upscale_method: choice(LATENT_METHODS, { default: 'bilinear' }),
    width: int({ default: 1280, min: 0, max: 16384, step: 8 }),
    height: int({ default: 720, min: 0, max: 16384, step: 8 }),
    crop: choice(CROPS),
  },
  outputs: [output('LATENT')],
  async run({ model, samples: latent, upscale_method, width, height, crop }, { signal }) {
    if (width === 0 && height === 0) return [latent];
    const { samples } = latent;
    const [ownHeight = 1, ownWidth = 1] = samples.shape.slice(-2);
    const side = (requested: number, other: number, ratio: number) =>
      Math.floor(Math.max(64, requested || roundHalfEven(Math.max(64, other) * ratio)) / CELL);
    const larger = resizedFrames(
      samples.shape.length === 4 ? asFrames(samples) : samples,
      [side(width, height, ownWidth / ownHeight), side(height, width, ownHeight / ownWidth)],
      upscale_method,
      crop,
    );
    return [{ samples: await model.sharpen(larger, signal) }];
  },
});

/** Each frame of [batch, channels, frames, height, width] in another size. */
function resizedFrames(
  video: FloatTensor,
  [width, height]: readonly [number, number],
  method: ResizeMethod,
  crop: (typeof CROPS)[number],
): FloatTensor {
  const videos = Array.from({ length: video.shape[0]! }, (_, index) => {
    const frames = planesToRaster(byFrames(video, index));
    return fromFrames(rasterToPlanes(resize(frames, width, height, method, crop)));
  });
  return toBatch(videos, 1);
}

const upscaleModelLoader = node({
  name: 'LatentUpscaleModelLoader',
  displayName: 'Load Latent Upscale Model',
  category: 'loaders',
  module: shared.module,
  modern: true,
  description:
    'Loads a model of the folder latent_upscale_models, which sharpens latents of Hunyuan Video 1.5.',
  fingerprint: modelFingerprint(FOLDER, ['model_name']),
  inputs: { model_name: choice((files: WorkflowFiles) => files.models(FOLDER)) },
  outputs: [output('LATENT_UPSCALE_MODEL')],
  run: async ({ model_name }, { host }) => [await openLatentUpscaler(host, model_name)],
});

/** The nodes in the order of `/object_info`. */
export const hunyuanVideo15Nodes: AnyNode[] = [
  imageToVideo,
  superResolution,
  upscaleWithModel,
  upscaleModelLoader,
];
