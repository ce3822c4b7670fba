/** Prompts with images for the models of Wan. */
import { WAN_LATENTS, WAN22_LATENTS } from '../../models/networks/wan-latents.ts';
import { concatChannels, repeatBatch } from '../../values/batches.ts';
import type { ConditioningOptions } from '../../values/conditioning.ts';
import { unscaleLatent } from '../../values/latent-scaling.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import type { ClipVisionOutput } from '../../values/vision.ts';
import { link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import {
  bothPrompts,
  encodeFrames,
  framesOf,
  inGrayVideo,
  type VideoSize,
  videoInputs,
  withFirstFrames,
} from './given-frames.ts';
import {
  FRAMES,
  image,
  latentFrames,
  latentShape,
  type Prompts,
  seen,
  shared,
  sizes,
  withBoth,
} from './wan-inputs.ts';

interface FirstFrames extends VideoSize, Prompts {
  vae: Parameters<typeof encodeFrames>[0];
  batch_size: number;
  clip_vision_output?: ClipVisionOutput | undefined;
  start_image?: FloatTensor | undefined;
}

/** The outputs of WanImageToVideo. */
export async function fromFirstFrames(
  { vae, batch_size, clip_vision_output, start_image, ...values }: FirstFrames,
  signal: AbortSignal,
) {
  const shape = latentShape(values, 16, 8);
  const options: ConditioningOptions = { ...(clip_vision_output && { vision: clip_vision_output }) };
  if (start_image) {
    const frames = framesOf(start_image, values);
    const latent = await encodeFrames(vae, inGrayVideo(values, frames), signal);
    const mask = full([1, 1, ...shape.slice(1)], 1);
    mask.data.fill(0, 0, latentFrames(frames.batch) * shape[2]! * shape[3]!);
    options.inpainting = { latent, mask };
  }
  return [...withBoth(values, options), { samples: zeros([batch_size, ...shape]) }];
}

const imageToVideo = node({
  ...shared,
  name: 'WanImageToVideo',
  description:
    'Adds the first frames of a video to prompts, and creates an empty latent. clip_vision_output: for Wan 2.1.',
  inputs: {
    ...bothPrompts(),
    vae: link('VAE'),
    ...sizes(),
    clip_vision_output: seen(),
    start_image: image(),
  },
  run: (values, { signal }) => fromFirstFrames(values, signal),
});

interface BothEnds extends VideoSize, Prompts {
  vae: Parameters<typeof encodeFrames>[0];
  batch_size: number;
  start_image?: FloatTensor | undefined;
  end_image?: FloatTensor | undefined;
}

async function betweenFrames(
  { vae, batch_size, start_image, end_image, ...values }: BothEnds,
  vision: ClipVisionOutput | undefined,
  signal: AbortSignal,
) {
  const shape = latentShape(values, vae.latentChannels, vae.scale);
  const start = start_image && framesOf(start_image, values);
  const end = end_image && framesOf(end_image, values, 'end');
  const latent = await encodeFrames(vae, inGrayVideo(values, start, end), signal);
  const mask = framesMask(shape, start?.batch, end?.batch);
  const options = { inpainting: { latent, mask }, ...(vision && { vision }) };
  return [...withBoth(values, options), { samples: zeros([batch_size, ...shape]) }];
}

/** A channel for each of the frames that share one of the latent: 0 for frames that are there. */
export function framesMask(
  [, frames = 1, height = 1, width = 1]: readonly number[],
  start: number | undefined,
  end: number | undefined,
): FloatTensor {
  const count = frames * FRAMES;
  const isThere = Array.from(
    { length: count },
    // The first frame fills a frame of the latent.
    (_, frame) => (start !== undefined && frame < start + FRAMES - 1) || (end && frame >= count - end),
  );
  const mask = zeros([1, FRAMES, frames, height, width]);
  const size = height * width;
  for (let at = 0; at < count; at++) {
    const frame = (at % frames) * FRAMES + Math.floor(at / frames);
    if (!isThere[frame]) mask.data.fill(1, at * size, (at + 1) * size);
  }
  return mask;
}

/** The tokens of the first image, followed by those of the second. */
function joinSeen(
  first: ClipVisionOutput | undefined,
  second: ClipVisionOutput | undefined,
): ClipVisionOutput | undefined {
  const [a, b] = [first?.penultimateHiddenState, second?.penultimateHiddenState];
  return first && a && b ? { ...first, penultimateHiddenState: concatChannels(a, b) } : (first ?? second);
}

const firstAndLast = node({
  ...shared,
  name: 'WanFirstLastFrameToVideo',
  description: 'Adds the first and the last frames of a video to prompts, and creates an empty latent.',
  inputs: {
    ...bothPrompts(),
    vae: link('VAE'),
    ...sizes(),
    clip_vision_start_image: seen(),
    clip_vision_end_image: seen(),
    start_image: image(),
    end_image: image(),
  },
  run: ({ clip_vision_start_image, clip_vision_end_image, ...values }, { signal }) =>
    betweenFrames(values, joinSeen(clip_vision_start_image, clip_vision_end_image), signal),
});

const funInpaint = node({
  ...shared,
  name: 'WanFunInpaintToVideo',
  description: 'Adds the first and the last frames of a video to prompts, for models of the kind Fun InP.',
  inputs: {
    ...bothPrompts(),
    vae: link('VAE'),
    ...sizes(),
    clip_vision_output: seen(),
    start_image: image(),
    end_image: image(),
  },
  run: ({ clip_vision_output, ...values }, { signal }) => betweenFrames(values, clip_vision_output, signal),
});

const funControl = node({
  ...shared,
  name: 'WanFunControlToVideo',
  description: 'Adds a video that controls the result to prompts, for models of the kind Fun Control.',
  inputs: {
    ...bothPrompts(),
    vae: link('VAE'),
    ...sizes(),
    clip_vision_output: seen(),
    start_image: image(),
    control_video: image(),
  },
  async run({ vae, batch_size, clip_vision_output, start_image, control_video, ...values }, { signal }) {
    const shape = latentShape(values, WAN_LATENTS.channels, 8);
    const empty = unscaleLatent(zeros([batch_size, ...shape]), WAN_LATENTS);
    let latent = concatChannels(empty, empty);
    for (const [frames, channel] of [
      [control_video, 0],
      [start_image, WAN_LATENTS.channels],
    ] as const)
      if (frames)
        latent = withFirstFrames(latent, await encodeFrames(vae, framesOf(frames, values), signal), channel);
    const options = {
      inpainting: { latent },
      ...(clip_vision_output && { vision: clip_vision_output }),
    };
    return [...withBoth(values, options), { samples: zeros([batch_size, ...shape]) }];
  },
});

const latentOfImage = node({
  name: 'Wan22ImageToVideoLatent',
  category: 'conditioning/inpaint',
  module: 'comfy_extras.nodes_wan',
  modern: true,
  description: 'Creates latents of a video for Wan 2.2 with 5 billion weights, whose first frames are given.',
  inputs: {
    vae: link('VAE'),
    ...videoInputs(1280, 704, 49, { side: 32, frames: FRAMES }),
    start_image: image(),
  },
  outputs: [output('LATENT')],
  async run({ vae, batch_size, start_image, ...size }, { signal }) {
    const shape = latentShape(size, WAN22_LATENTS.channels, 16);
    if (!start_image) return [{ samples: zeros([batch_size, ...shape]) }];
    const first = await encodeFrames(vae, framesOf(start_image, size), signal);
    const samples = withFirstFrames(unscaleLatent(zeros([1, ...shape]), WAN22_LATENTS), first);
    const mask = full([1, 1, ...shape.slice(1)], 1);
    mask.data.fill(0, 0, Math.min(first.shape[2]!, shape[1]!) * shape[2]! * shape[3]!);
    return [{ samples: repeatBatch(samples, batch_size), noiseMask: repeatBatch(mask, batch_size) }];
  },
});

/** The nodes in the order of `/object_info`. */
export const wanNodes: AnyNode[] = [imageToVideo, funControl, funInpaint, firstAndLast, latentOfImage];
