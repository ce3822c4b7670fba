import { concatChannels, repeatBatch, toBatch } from '../../../values/batches.ts';
import type { NetworkPrompt } from '../../../values/network.ts';
import { asFrames, withoutFrames } from '../../../values/single-frames.ts';
import { type FloatTensor, zeros } from '../../../values/tensor.ts';
import { feed, requireSlot } from '../../graphs/session-tensors.ts';
import type { NetworkInput, NetworkLayout } from '../../networks/onnx-network.ts';
import { pooledEmbeddings } from '../../networks/pooled-embeddings.ts';
import { seenCount, seenTokens } from '../../networks/seen-tokens.ts';
import {
  packVideo,
  unpackVideo,
  type VideoPatch,
  videoPositions,
  videoSides,
} from '../../networks/video-tokens.ts';

/** Hunyuan's usual guidance scale, for prompts that set none. */
const USUAL_GUIDANCE = 6;

/** Images are videos of one frame, without a position of the frame. */
export const hunyuanVideoLayout = (patch: VideoPatch): NetworkLayout => ({
  outputs: ['out_hidden_states'],
  groupKey: (prompt) => String(seenCount(prompt)),
  feeds(input) {
    const { session, x, timestep, prompts } = input;
    const batch = x.shape[0]!;
    const video = x.shape.length === 4 ? asFrames(x) : x;
    const { shape, data } = packVideo(
      withImages(repeatBatch(video, prompts.length), input),
      patch,
      'channels first',
    );
    const [count = 1, frames = 1, cells = 1, features = 1] = shape;
    const texts = prompts.map(seenTokens);
    const axes = Number(requireSlot(session, 'img_ids').shape[1]);
    const feeds: Record<string, FloatTensor> = {
      hidden_states: { data, shape: [count, frames * cells, features] },
      timestep: { shape: [1], data: Float32Array.of(timestep) },
      encoder_hidden_states: toBatch(texts, batch),
      text_mean: toBatch(prompts.map(meanToken), batch),
      img_ids: lastColumns(videoPositions(videoSides(video, patch)), axes),
      txt_ids: zeros([texts[0]!.shape[1]!, axes]),
    };
    const names = new Set(session.inputs.map(({ name }) => name));
    if (names.has('pooled_projections')) feeds.pooled_projections = pooledEmbeddings(prompts, batch);
    if (names.has('guidance')) feeds.guidance = toBatch(prompts.map(guidanceOf), batch);
    return Object.fromEntries(
      Object.entries(feeds).map(([name, values]) => [name, feed(requireSlot(session, name), values)]),
    );
  },
  toLatent({ shape: [batch = 1, , features = 1], data }, x) {
    const video = x.shape.length === 4 ? asFrames(x) : x;
    const [frames, rows, columns] = videoSides(video, patch);
    const tokens = { shape: [batch, frames, rows * columns, features], data };
    const latent = unpackVideo(tokens, video, patch, 'channels first');
    return x.shape.length === 4 ? withoutFrames(latent) : latent;
  },
});

function withImages(latents: FloatTensor, { x, prompts }: NetworkInput): FloatTensor {
  const images = prompts.flatMap(({ concat }) => concat ?? []);
  return images.length === 0 ? latents : concatChannels(latents, toBatch(images, x.shape[0]!));
}

const guidanceOf = ({ options }: NetworkPrompt): FloatTensor => ({
  shape: [1],
  data: Float32Array.of(Number(options.guidance ?? USUAL_GUIDANCE)),
});

/** The mean of all tokens, seen or not: [batch, width]. */
function meanToken({ tensor: { shape, data } }: NetworkPrompt): FloatTensor {
  const [batch = 1, tokens = 1, width = 0] = shape;
  const result = zeros([batch, width]);
  for (let at = 0; at < data.length; at++)
    result.data[Math.floor(at / (tokens * width)) * width + (at % width)]! += data[at]! / tokens;
  return result;
}

function lastColumns({ shape: [rows = 0, columns = 0], data }: FloatTensor, count: number): FloatTensor {
  if (count === columns) return { shape: [rows, columns], data };
  const parts = data.filter((_, at) => at % columns >= columns - count);
  return { shape: [rows, count], data: parts };
}
