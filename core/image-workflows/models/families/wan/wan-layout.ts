import { concatAlong, concatChannels, repeatBatch, toBatch } from '../../../values/batches.ts';
import { type FloatTensor, zeros } from '../../../values/tensor.ts';
import { feedAll, findSlot, requireSlot } from '../../graphs/session-tensors.ts';
import { frameTimes } from '../../networks/frame-times.ts';
import type { NetworkInput, NetworkLayout } from '../../networks/onnx-network.ts';
import {
  packVideo,
  unpackVideo,
  type VideoPatch,
  videoPositions,
  videoSides,
} from '../../networks/video-tokens.ts';
import { guideFeeds } from './wan-guides.ts';
import { peopleFeeds } from './wan-people.ts';

const PATCH: VideoPatch = [1, 2, 2];

/** The tokens of a video with their places, and the time of each frame. */
export const wanLayout: NetworkLayout = {
  outputs: ['out_hidden_states'],
  feeds(input) {
    const { session, x, timestep, prompts } = input;
    const latents = withFollowing(withAddedChannels(repeatBatch(x, prompts.length), input), input);
    const seesImage = findSlot(session.inputs, 'reference_states') !== undefined;
    const before = seesImage && prompts[0]?.videoInputs?.reference ? 1 : 0;
    const [frames, ...sides] = videoSides(latents, PATCH);
    const feeds = {
      hidden_states: packVideo(latents, PATCH, 'channels first'),
      timestep: frameTimes(timestep, prompts[0]?.noiseMask, before),
      encoder_hidden_states: toBatch(
        prompts.map(({ tensor }) => tensor),
        x.shape[0]!,
      ),
      ids: videoPositions([frames + before, ...sides]),
      ...(findSlot(session.inputs, 'image_embeds') && imageFeeds(input)),
      ...guideFeeds(input),
      ...peopleFeeds(input, frames),
    };
    return feedAll(session, feeds);
  },
  toLatent: (output, x) => unpackVideo(firstFrames(output, x.shape[2]!), x, PATCH, 'channels last'),
};

/** The latents of images after the frames of the video. Throws a `TypeError` when they do not fit. */
function withFollowing(latents: FloatTensor, { x, prompts }: NetworkInput): FloatTensor {
  const all = prompts.flatMap(({ videoInputs }) => videoInputs?.following ?? []);
  if (all.length === 0) return latents;
  const [, channels, , ...sides] = latents.shape;
  const [, own, , ...ownSides] = all[0]!.shape;
  if (own !== channels || sides.join() !== ownSides.join())
    throw new TypeError(
      `the images after the video are [${all[0]!.shape.join(', ')}] as latents, and the input of the network is [${latents.shape.join(', ')}]: use a model of texts to videos, and the size of the latent`,
    );
  return concatAlong(2, latents, toBatch(all, x.shape[0]!));
}

/** Leaves out the frames after those of the video, [batch, frames, tokens, features]. */
function firstFrames({ shape, data }: FloatTensor, frames: number): FloatTensor {
  const [batch = 1, own = 1, ...rest] = shape;
  if (own === frames) return { shape, data };
  const size = data.length / (batch * own);
  const result = zeros([batch, frames, ...rest]);
  for (let video = 0; video < batch; video++)
    result.data.set(data.subarray(video * own * size, (video * own + frames) * size), video * frames * size);
  return result;
}

/** Throws a `TypeError` when the channels of the prompts' images do not fit. */
function withAddedChannels(latents: FloatTensor, { session, x, prompts }: NetworkInput): FloatTensor {
  const channels = Number(requireSlot(session, 'hidden_states').shape[3]) / (PATCH[1] * PATCH[2]);
  const added = channels - x.shape[1]!;
  const [first] = prompts;
  const present = first?.concat?.shape[1] ?? 0;
  if (present !== added)
    throw new TypeError(
      `this model takes ${channels} channels: those of the latent are ${x.shape[1]}, and its prompt adds ${present}`,
    );
  if (added === 0) return latents;
  return concatChannels(
    latents,
    toBatch(
      prompts.map(({ concat }) => concat!),
      x.shape[0]!,
    ),
  );
}

/** Without an image, the tokens of the text take the place of those of the image, as in ComfyUI. */
function imageFeeds({ session, x, prompts }: NetworkInput): Record<string, FloatTensor> {
  const seen = prompts.flatMap(({ vision }) => vision ?? []);
  const width = Number(requireSlot(session, 'image_embeds').shape[2]);
  for (const { shape } of seen)
    if (shape[2] !== width)
      throw new TypeError(
        `this model takes images as tokens of ${width} numbers, and those of the vision encoder have ${shape[2]}: use CLIP ViT-H`,
      );
  const count = (value: number): FloatTensor => ({ shape: [1], data: Float32Array.of(value) });
  if (seen.length === 0) {
    const [, textTokens = 0] = prompts[0]!.tensor.shape;
    return {
      image_embeds: zeros([x.shape[0]! * prompts.length, 1, width]),
      image_start: count(1),
      image_end: count(1 + textTokens),
    };
  }
  return {
    image_embeds: toBatch(seen, x.shape[0]!),
    image_start: count(0),
    image_end: count(seen[0]!.shape[1]!),
  };
}
