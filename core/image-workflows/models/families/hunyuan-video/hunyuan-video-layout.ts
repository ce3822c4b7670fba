import { concatChannels, repeatBatch, toBatch } from '../../../values/batches.ts';
import type { NetworkPrompt } from '../../../values/network.ts';
import { asFrames, withoutFrames } from '../../../values/single-frames.ts';
import { type FloatTensor, zeros } from '../../../values/tensor.ts';
import { feedAll, requireSlot } from '../../graphs/session-tensors.ts';
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

export interface HunyuanLayout {
  patch: VideoPatch;
  /** Networks that can know the next noise level do. */
  knowsNextLevel: boolean;
}

/** Timesteps are counted in thousandths. */
const TIME_UNIT = 1000;

/** Images are videos of one frame, without a position of the frame. */
export const hunyuanVideoLayout = ({ patch, knowsNextLevel }: HunyuanLayout): NetworkLayout => ({
  outputs: ['out_hidden_states'],
  groupKey: (prompt) => `${seenCount(prompt)} ${prompt.options.glyphs?.shape[1]}`,
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
    if (names.has('token_order')) Object.assign(feeds, addedTokens(input, texts[0]!.shape[1]!, axes));
    if (names.has('next_timestep'))
      Object.assign(feeds, nextLevel(prompts[0]!, names.has('vision_states'), knowsNextLevel));
    if (names.has('cell_times'))
      Object.assign(feeds, cellTimes(frames * cells, cells, feeds.txt_ids!.shape[0]!));
    else if (prompts.some(({ options }) => options.isFirstFrameGiven))
      throw new TypeError(
        'a changed model of Hunyuan Video takes no replaced frames: use the guidance type v1, or the model as it is loaded',
      );
    if (names.has('pooled_projections')) feeds.pooled_projections = pooledEmbeddings(prompts, batch);
    if (names.has('guidance')) feeds.guidance = toBatch(prompts.map(guidanceOf), batch);
    return feedAll(session, feeds);
  },
  toLatent({ shape: [batch = 1, , features = 1], data }, x) {
    const video = x.shape.length === 4 ? asFrames(x) : x;
    const [frames, rows, columns] = videoSides(video, patch);
    const tokens = { shape: [batch, frames, rows * columns, features], data };
    const latent = unpackVideo(tokens, video, patch, 'channels first');
    return x.shape.length === 4 ? withoutFrames(latent) : latent;
  },
});

/** Tokens of glyphs and images. A graph needs at least one of each, which is left out of the order when there is none. */
function addedTokens(
  { session, x, prompts }: NetworkInput,
  textCount: number,
  axes: number,
): Record<string, FloatTensor> {
  const parts = {
    vision_states: prompts.map(({ vision }) => vision),
    glyph_states: prompts.map(({ options }) => options.glyphs),
  };
  const feeds: Record<string, FloatTensor> = {};
  const order: number[] = [];
  let at = 0;
  for (const [name, tensors] of Object.entries(parts)) {
    const slot = session.inputs.find((input) => input.name === name);
    if (!slot) continue;
    const width = Number(slot.shape[2]);
    const isThere = tensors[0] !== undefined;
    feeds[name] = toBatch(
      tensors.map((tensor) => fitting(tensor ?? zeros([1, 1, width]), width, name)),
      x.shape[0]!,
    );
    const count = feeds[name].shape[1]!;
    if (isThere) order.push(...Array.from({ length: count }, (_, index) => at + index));
    at += count;
  }
  order.push(...Array.from({ length: textCount }, (_, index) => at + index));
  const token_order = { shape: [order.length], data: Float32Array.from(order) };
  return { ...feeds, token_order, txt_ids: zeros([order.length, axes]) };
}

function fitting(tensor: FloatTensor, width: number, name: string): FloatTensor {
  const own = tensor.shape[2];
  if (own === width) return tensor;
  const needed =
    name === 'vision_states'
      ? 'load sigclip_vision_patch14_384.safetensors with CLIPVisionLoader'
      : 'load byt5_small_glyphxl_fp16.safetensors with DualCLIPLoader';
  throw new TypeError(
    `this model takes tokens of width ${width} of an image or of letters, and these have ${own}: ${needed}`,
  );
}

/** The timestep after this one. Networks without images take the mean of both embeddings, and others the sum. */
function nextLevel(
  { sigma, sigmas }: NetworkPrompt,
  isSum: boolean,
  isKnown: boolean,
): Record<string, FloatTensor> {
  const at = isKnown && sigma !== undefined && sigmas ? sigmas.indexOf(sigma) : -1;
  const next = at < 0 ? undefined : sigmas![at + 1];
  const shares = next === undefined ? [1, 0] : isSum ? [1, 1] : [0.5, 0.5];
  return {
    next_timestep: { shape: [1], data: Float32Array.of((next ?? 0) * TIME_UNIT) },
    time_shares: { shape: [2], data: Float32Array.from(shares) },
  };
}

/** The cells of the first frame have no noise. The text counts as noisy. */
function cellTimes(count: number, ofFrame: number, textCount: number): Record<string, FloatTensor> {
  const data = new Float32Array(count).fill(1, Math.min(ofFrame, count));
  const all = new Float32Array(textCount + count).fill(1);
  all.set(data, textCount);
  return { cell_times: { shape: [count], data }, all_times: { shape: [all.length], data: all } };
}

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
