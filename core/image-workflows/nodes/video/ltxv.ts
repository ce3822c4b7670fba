/** Prompts and latents with images for LTX Video. */
import { repeatBatch } from '../../values/batches.ts';
import { full, zeros } from '../../values/tensor.ts';
import { float, link } from '../kernel/inputs.ts';
import { type AnyNode, node } from '../kernel/node-type.ts';
import {
  bothPrompts,
  encodeFrames,
  framesOf,
  promptOutputs,
  videoInputs,
  withFirstFrames,
} from './given-frames.ts';

const CHANNELS = 128;
/** Pixels of a latent cell along each side. */
const CELL = 32;
/** Frames of a video for each frame of a latent, but the first. */
const FRAMES = 8;

const imageToVideo = node({
  name: 'LTXVImgToVideo',
  category: 'conditioning/video_models',
  module: 'comfy_extras.nodes_lt',
  modern: true,
  description: 'Creates latents of a video that begins with an image. strength 1: the image stays as it is.',
  inputs: {
    ...bothPrompts(),
    vae: link('VAE'),
    image: link('IMAGE'),
    ...videoInputs(768, 512, 97, { side: CELL, smallest: 64, frames: FRAMES, fewest: 9 }),
    strength: float({ default: 1.0, min: 0.0, max: 1.0 }),
  },
  outputs: promptOutputs,
  async run({ positive, negative, vae, image, batch_size, strength, ...size }, { signal }) {
    const sides = [Math.floor(size.height / vae.scale), Math.floor(size.width / vae.scale)];
    const shape = [1, CHANNELS, Math.floor((size.length - 1) / FRAMES) + 1, ...sides];
    const first = await encodeFrames(vae, framesOf(image, { ...size, length: Infinity }), signal);
    const samples = withFirstFrames(zeros(shape), first);
    const mask = full([1, 1, shape[2]!, 1, 1], 1);
    mask.data.fill(1 - strength, 0, Math.min(first.shape[2]!, shape[2]!));
    return [
      positive,
      negative,
      { samples: repeatBatch(samples, batch_size), noiseMask: repeatBatch(mask, batch_size) },
    ];
  },
});

/** The nodes in the order of `/object_info`. */
export const ltxvNodes: AnyNode[] = [imageToVideo];
