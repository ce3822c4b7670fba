/** The inputs of `wanGraph` for people: the audio of HuMo, and the pose and the face of Wan Animate. */
import { toBatch } from '../../../values/batches.ts';
import { type FloatTensor, zeros } from '../../../values/tensor.ts';
import { findSlot } from '../../graphs/session-tensors.ts';
import type { NetworkInput } from '../../networks/onnx-network.ts';
import { packVideo, type VideoPatch } from '../../networks/video-tokens.ts';

const PATCH: VideoPatch = [1, 2, 2];
/** The side of the images of faces that the network was trained with. */
const FACE_SIDE = 512;

/** @param frames of the network's input, with those after the video. Throws a `TypeError`. */
export function peopleFeeds(input: NetworkInput, frames: number): Record<string, FloatTensor> {
  const has = (name: string) => findSlot(input.session.inputs, name) !== undefined;
  return {
    ...(has('audio_embeds') && audioFeeds(input, frames)),
    ...(has('pose_states') && poseFeeds(input)),
    ...(has('face_pixels') && faceFeeds(input)),
  };
}

const numbers = (...values: number[]): FloatTensor => ({
  shape: [values.length],
  data: Float32Array.from(values),
});

/** The frames after the video are silent. */
function audioFeeds({ session, x, prompts }: NetworkInput, frames: number): Record<string, FloatTensor> {
  const [batch = 1, , own = 1] = x.shape;
  const features = Number(findSlot(session.inputs, 'audio_embeds')!.shape[2]);
  const all = prompts.flatMap(({ videoInputs }) => videoInputs?.audio ?? []);
  const silent = zeros([batch * prompts.length, frames, features]);
  if (all.length === 0) return { audio_embeds: silent, audio_share: numbers(0) };
  for (const [index, { shape, data }] of all.entries()) {
    const [videos = 1, heard = 1, ...sides] = shape;
    const size = sides.reduce((product, side) => product * side, 1);
    if (size !== features)
      throw new TypeError(
        `this model hears each frame as ${features} numbers, and the audio of the prompt has ${size}: use the audio encoder Whisper large v3`,
      );
    const length = Math.min(heard, own) * size;
    for (let video = 0; video < batch; video++) {
      const from = (video % videos) * heard * size;
      silent.data.set(data.subarray(from, from + length), (index * batch + video) * frames * size);
    }
  }
  return { audio_embeds: silent, audio_share: numbers(1) };
}

/** The pose of the first frame of the video belongs to the second one of the latent: the first shows the character. */
function poseFeeds({ x, prompts }: NetworkInput): Record<string, FloatTensor> {
  const [batch = 1, channels = 1, frames = 1, height = 1, width = 1] = x.shape;
  const all = prompts.flatMap(({ videoInputs }) => videoInputs?.pose ?? []);
  const video = zeros([batch * prompts.length, channels, frames, height, width]);
  const posed = Math.min(all[0]?.shape[2] ?? 0, frames - 1);
  const size = height * width;
  for (const [index, { shape, data }] of all.entries()) {
    if (shape.slice(3).join() !== `${height},${width}`)
      throw new TypeError(
        `the pose has ${shape.slice(3).join(' x ')} cells, and the latent ${height} x ${width}: sample the latent of WanAnimateToVideo`,
      );
    for (let plane = 0; plane < batch * channels; plane++) {
      const from = (plane % (shape[0]! * channels)) * shape[2]! * size;
      video.data.set(
        data.subarray(from, from + posed * size),
        ((index * batch * channels + plane) * frames + 1) * size,
      );
    }
  }
  return {
    pose_states: packVideo(video, PATCH, 'channels first'),
    pose_share: {
      shape: [frames, 1, 1],
      data: Float32Array.from({ length: frames }, (_, frame) => (frame >= 1 && frame <= posed ? 1 : 0)),
    },
  };
}

/** Without a face, a gray image is looked at and counts for nothing. */
function faceFeeds({ x, prompts }: NetworkInput): Record<string, FloatTensor> {
  const [batch = 1] = x.shape;
  const all = prompts.flatMap(({ videoInputs }) => videoInputs?.faces ?? []);
  if (all.length === 0)
    return {
      face_pixels: zeros([batch * prompts.length, 3, FACE_SIDE, FACE_SIDE]),
      face_frames: numbers(1),
      face_share: numbers(0),
    };
  const { shape, data } = toBatch(all, batch);
  const [videos = 1, colors = 3, frames = 1, height = 1, width = 1] = shape;
  const images = zeros([videos * frames, colors, height, width]);
  const size = height * width;
  for (let plane = 0; plane < videos * colors; plane++)
    for (let frame = 0; frame < frames; frame++) {
      const from = (plane * frames + frame) * size;
      const image = Math.floor(plane / colors) * frames + frame;
      images.data.set(data.subarray(from, from + size), (image * colors + (plane % colors)) * size);
    }
  return { face_pixels: images, face_frames: numbers(frames), face_share: numbers(1) };
}
