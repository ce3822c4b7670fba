/** The inputs of Wan S2V: a video, an image of the subject, earlier frames, a video to follow, and audio. */
import { repeatBatch, toBatch } from '../../../values/batches.ts';
import { type FloatTensor, zeros } from '../../../values/tensor.ts';
import { feedAll, requireSlot } from '../../graphs/session-tensors.ts';
import type { NetworkInput, NetworkLayout } from '../../networks/onnx-network.ts';
import {
  packVideo,
  unpackVideo,
  type VideoPatch,
  videoPositions,
  videoSides,
} from '../../networks/video-tokens.ts';

const PATCH: VideoPatch = [1, 2, 2];

/** Earlier frames from the last ones to the first: how many, their patches, and the place of the first in time. */
const MOTION: readonly { frames: number; patch: VideoPatch; start: number; steps: number }[] = [
  { frames: 1, patch: PATCH, start: -1, steps: 1 },
  { frames: 2, patch: [2, 4, 4], start: -3, steps: 1 },
  { frames: 16, patch: [4, 8, 8], start: -19, steps: 4 },
];
/** The subject stands this long after the video, and at this time at the earliest. */
const [REFERENCE_AFTER, REFERENCE_FROM] = [9, 30];
/** Steps of the audio for each frame of the latent. */
const AUDIO_STEPS = 4;

export const wanS2vLayout: NetworkLayout = {
  outputs: ['out_hidden_states'],
  feeds(input) {
    const { session, x, timestep, prompts } = input;
    const batch = x.shape[0]!;
    const [frames, rows, columns] = videoSides(x, PATCH);
    const inputs = prompts.map(({ videoInputs = {} }) => videoInputs);
    const references = inputs.flatMap(({ reference }) => reference ?? []);
    const motions = inputs.flatMap(({ motion }) => motion ?? []);
    const motion = motionFeeds(motions, input);
    const reference = referenceFrames(references, input);
    const sides = videoSides(reference, PATCH);
    const referenceTokens = references.length > 0 ? sides[0] * sides[1] * sides[2] : 0;
    const ids = [
      videoPositions([frames, rows, columns]),
      ...(references.length > 0 ? [placed(sides, sides, referenceTime(x))] : []),
      ...(motions.length > 0 ? motion.ids : []),
    ];
    const feeds: Record<string, FloatTensor> = {
      hidden_states: packVideo(repeatBatch(x, prompts.length), PATCH, 'channels first'),
      timestep: numbers(timestep, 0),
      token_times: tokenTimes({
        frames,
        size: rows * columns,
        referenceTokens,
        motionTokens: motions.length > 0 ? motion.tokens : 0,
      }),
      encoder_hidden_states: toBatch(
        prompts.map(({ tensor }) => tensor),
        batch,
      ),
      ids: joinRows(ids),
      ...controlFeeds(input),
      reference_states: withoutFrames(packVideo(reference, PATCH, 'channels first')),
      reference_end: numbers(referenceTokens),
      ...motion.feeds,
      motion_end: numbers(motions.length > 0 ? motion.tokens : 0),
      ...audioFeeds(input),
    };
    return feedAll(session, feeds);
  },
  toLatent: (output, x) => unpackVideo(output, x, PATCH, 'channels last'),
};

const numbers = (...values: number[]): FloatTensor => ({
  shape: [values.length],
  data: Float32Array.from(values),
});

const referenceTime = ({ shape: [, , frames = 1] }: FloatTensor): number =>
  Math.max(REFERENCE_FROM, frames + REFERENCE_AFTER);

/** [batch, frames, tokens of a frame, features] to [batch, tokens, features]. */
const withoutFrames = ({ shape: [batch = 1, frames = 1, tokens = 1, features = 1], data }: FloatTensor) => ({
  shape: [batch, frames * tokens, features],
  data,
});

function joinRows(parts: readonly FloatTensor[]): FloatTensor {
  const data = new Float32Array(parts.reduce((sum, part) => sum + part.data.length, 0));
  let at = 0;
  for (const part of parts) {
    data.set(part.data, at);
    at += part.data.length;
  }
  return { shape: [data.length / 3, 3], data };
}

/** Places of tokens that share out the sides of a video evenly: from its first to its last row, column and time. */
function placed(
  sides: readonly [number, number, number],
  [frames, rows, columns]: readonly [number, number, number],
  start: number,
): FloatTensor {
  const places = videoPositions([sides[0], sides[1], sides[2]]);
  const ends = [frames, rows, columns];
  for (const [at, value] of places.data.entries()) {
    const axis = at % 3;
    const steps = sides[axis]! - 1;
    const place = steps === 0 ? 0 : (value * (ends[axis]! - 1)) / steps;
    places.data[at] = axis === 0 ? start + place : place;
  }
  return places;
}

export interface TokenCounts {
  /** Frames of the video, and tokens of each. */
  frames: number;
  size: number;
  referenceTokens: number;
  motionTokens: number;
}

/**
 * 0 for tokens with the time of the video and 1 for given ones. As in the real system, the tokens are shared out evenly
 * to times: two for each frame, and three for the earlier frames.
 */
export function tokenTimes({ frames, size, referenceTokens, motionTokens }: TokenCounts): FloatTensor {
  const total = frames * size + referenceTokens + motionTokens;
  const single = [...new Array<number>(frames).fill(0), ...(referenceTokens > 0 ? [1] : [])];
  const times = motionTokens > 0 ? [...single.flatMap((time) => [time, time]), 1, 1, 1] : single;
  const each = Math.ceil(total / times.length);
  return {
    shape: [total],
    data: Float32Array.from({ length: total }, (_, at) => times[Math.floor(at / each)]!),
  };
}

function referenceFrames(references: readonly FloatTensor[], { x, prompts }: NetworkInput): FloatTensor {
  const [batch = 1, channels = 1, , ...sides] = x.shape;
  return references.length > 0
    ? toBatch(references, batch)
    : zeros([batch * prompts.length, channels, 1, ...sides]);
}

/** Without a video to follow, its layer is left out. */
function controlFeeds({ x, prompts }: NetworkInput): Record<string, FloatTensor> {
  const controls = prompts.flatMap(({ videoInputs }) => videoInputs?.control ?? []);
  for (const { shape } of controls)
    if (shape.slice(2).join() !== x.shape.slice(2).join())
      throw new TypeError(
        `the control video has ${shape.slice(2).join(' x ')} cells, and the latent ${x.shape.slice(2).join(' x ')}: sample the latent of the same node`,
      );
  const video =
    controls.length > 0
      ? toBatch(controls, x.shape[0]!)
      : zeros([x.shape[0]! * prompts.length, ...x.shape.slice(1)]);
  return {
    control_states: packVideo(video, PATCH, 'channels first'),
    control_share: numbers(controls.length > 0 ? 1 : 0),
  };
}

/** The tokens of earlier frames. Frames before the first are empty. */
function motionFeeds(motions: readonly FloatTensor[], { x, prompts }: NetworkInput) {
  const [batch = 1, channels = 1, , height = 1, width = 1] = x.shape;
  const total = MOTION.reduce((sum, { frames }) => sum + frames, 0);
  const all =
    motions.length > 0
      ? toBatch(
          motions.map((motion) => lastFrames(motion, total)),
          batch,
        )
      : zeros([batch * prompts.length, channels, total, height, width]);
  const [, rows, columns] = videoSides(x, PATCH);
  const ids: FloatTensor[] = [];
  let [end, tokens] = [total, 0];
  const feeds: Record<string, FloatTensor> = {};
  for (const [at, { frames, patch, start, steps }] of MOTION.entries()) {
    const part = cropped(all, { first: end - frames, frames, patch, fills: at === 0 });
    end -= frames;
    const sides = videoSides(part, patch);
    feeds[`motion_states_${at}`] = withoutFrames(packVideo(part, patch, 'channels first'));
    ids.push(placed(sides, [steps, rows, columns], start));
    tokens += sides[0] * sides[1] * sides[2];
  }
  return { feeds, ids, tokens };
}

/** The last frames, after empty ones where there are fewer. */
function lastFrames({ shape, data }: FloatTensor, count: number): FloatTensor {
  const [batch = 1, channels = 1, frames = 1, height = 1, width = 1] = shape;
  const size = height * width;
  const used = Math.min(count, frames);
  const result = zeros([batch, channels, count, height, width]);
  for (let plane = 0; plane < batch * channels; plane++)
    result.data.set(
      data.subarray((plane * frames + frames - used) * size, (plane + 1) * frames * size),
      (plane * count + count - used) * size,
    );
  return result;
}

/** Some frames. Cells at the end that fill no patch are left out. @param fills they stay, and `packVideo` fills them up */
function cropped(
  { shape: [batch = 1, channels = 1, all = 1, height = 1, width = 1], data }: FloatTensor,
  { first, frames, patch, fills }: { first: number; frames: number; patch: VideoPatch; fills: boolean },
): FloatTensor {
  const fitted = (side: number, step: number) => (fills ? side : Math.floor(side / step) * step);
  const [rows, columns] = [fitted(height, patch[1]), fitted(width, patch[2])];
  const result = zeros([batch, channels, frames, rows, columns]);
  let at = 0;
  for (let plane = 0; plane < batch * channels; plane++)
    for (let frame = first; frame < first + frames; frame++)
      for (let row = 0; row < rows; row++) {
        const from = ((plane * all + frame) * height + row) * width;
        result.data.set(data.subarray(from, from + columns), at);
        at += columns;
      }
  return result;
}

/** As many steps as the video needs: further ones are left out, and missing ones are zeros. */
function audioFeeds({ session, x, prompts }: NetworkInput): Record<string, FloatTensor> {
  const [, layers, width] = requireSlot(session, 'audio_embeds').shape.map(Number);
  const steps = AUDIO_STEPS * x.shape[2]!;
  const all = prompts.flatMap(({ videoInputs }) => videoInputs?.audio ?? []);
  for (const { shape } of all)
    if (shape[1] !== layers || shape[2] !== width)
      throw new TypeError(
        `this model hears audio as ${layers} layers of ${width} numbers, and that of the prompt has ${shape[1]} of ${shape[2]}: use the audio encoder wav2vec 2.0 large`,
      );
  const values =
    all.length > 0
      ? toBatch(
          all.map((audio) => withSteps(audio, steps)),
          x.shape[0]!,
        )
      : zeros([x.shape[0]! * prompts.length, layers!, width!, steps]);
  return { audio_embeds: values, audio_share: numbers(all.length > 0 ? 1 : 0) };
}

function withSteps({ shape, data }: FloatTensor, steps: number): FloatTensor {
  const [batch = 1, layers = 1, width = 1, own = 1] = shape;
  const result = zeros([batch, layers, width, steps]);
  const used = Math.min(own, steps);
  for (let row = 0; row < batch * layers * width; row++)
    result.data.set(data.subarray(row * own, row * own + used), row * steps);
  return result;
}
