/** Prompts for Wan Animate: a character with the motion of another video. */
import { imageRaster, maskRaster, type Raster, rasterToPlanes, withChannels } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import { concatAlong } from '../../values/batches.ts';
import type { Conditioning, ConditioningOptions } from '../../values/conditioning.ts';
import { withOptions } from '../../values/conditioning.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { int, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { bothPrompts, encodeFrames, promptOutputs, type VideoSize } from './given-frames.ts';
import { FRAMES, image, latentFrames, latentShape, seen, shared, sizes } from './wan-inputs.ts';

const [CHANNELS, CELL] = [16, 8];
const FACE_SIDE = 512;
const GRAY = 0.5;

/** Some frames of a raster. */
function part(raster: Raster, start: number, end: number): Raster {
  const size = raster.height * raster.width * raster.channels;
  const last = Math.min(end, raster.batch);
  return { ...raster, batch: last - start, data: raster.data.subarray(start * size, last * size) };
}

/** Frames from `offset` on, as many as the video has at most, in its size. Undefined: there are none. */
function framesFrom(
  frames: FloatTensor | undefined,
  offset: number,
  { width, height, length }: VideoSize,
): Raster | undefined {
  if (!frames || frames.shape[0]! <= offset) return undefined;
  const raster = withChannels(imageRaster(frames), 3);
  return resize(part(raster, offset, offset + length), width, height, 'area', 'center');
}

/** The last frame repeats up to the length of the video. */
function prolonged(raster: Raster, length: number): FloatTensor {
  const { batch, height, width, channels, data } = raster;
  const result = zeros([length, height, width, channels]);
  const size = height * width * channels;
  result.data.set(data);
  const last = data.subarray((batch - 1) * size, batch * size);
  for (let frame = batch; frame < length; frame++) result.data.set(last, frame * size);
  return result;
}

/** [frames, side, side, 3] of 0 to 1 as [1, 3, frames, side, side] of -1 to 1. */
function facePixels(raster: Raster): FloatTensor {
  const { shape, data } = rasterToPlanes(raster);
  const [frames = 1, colors = 3, height = 1, width = 1] = shape;
  const result = zeros([1, colors, frames, height, width]);
  const size = height * width;
  for (let frame = 0; frame < frames; frame++)
    for (let color = 0; color < colors; color++)
      for (let at = 0; at < size; at++)
        result.data[(color * frames + frame) * size + at] =
          data[(frame * colors + color) * size + at]! * 2 - 1;
  return result;
}

interface FrameMask extends VideoSize {
  /** Frames of the latent that continue a video, and frames of the video that belong to them. */
  continuingLatents: number;
  continuing: number;
  offset: number;
}

/**
 * Where the video changes, with a channel for each of the frames that share one of the latent: [1, 4, frames, height,
 * width] in cells. A mask of a single frame counts for all.
 */
function changesOf(
  mask: FloatTensor | undefined,
  { continuingLatents, continuing, offset, length, width, height }: FrameMask,
): FloatTensor {
  const [, frames = 1, rows = 1, columns = 1] = latentShape({ width, height, length }, CHANNELS, CELL);
  const size = rows * columns;
  const count = frames * FRAMES;
  const changes = new Float32Array(count * size).fill(1);
  changes.fill(0, 0, continuingLatents * FRAMES * size);
  const raster = mask && maskRaster(mask);
  if (raster && (raster.batch === 1 || raster.batch > offset)) {
    const own = raster.batch === 1 ? raster : part(raster, offset, offset + length);
    const cells = resize(own, columns, rows, 'nearest-exact', 'center');
    const last = raster.batch === 1 ? length : cells.batch;
    for (let frame = continuing; frame < Math.min(last, count); frame++) {
      const from = raster.batch === 1 ? 0 : frame * size;
      changes.set(cells.data.subarray(from, from + size), frame * size);
    }
  }
  const result = zeros([1, FRAMES, frames, rows, columns]);
  for (let frame = 0; frame < count; frame++) {
    const place = (frame % FRAMES) * frames + Math.floor(frame / FRAMES);
    result.data.set(changes.subarray(frame * size, (frame + 1) * size), place * size);
  }
  return result;
}

const animate = node({
  ...shared,
  name: 'WanAnimateToVideo',
  experimental: true,
  description:
    'Adds a character and the pose, face and background of a video to prompts, for Wan 2.2 Animate. trim_latent: the frames of the character, which TrimVideoLatent removes. trim_image: the frames that continue the last video.',
  inputs: {
    ...bothPrompts(),
    vae: link('VAE'),
    ...sizes(77),
    continue_motion_max_frames: int({ default: 5, min: 1, max: 16384, step: FRAMES }),
    video_frame_offset: int({ default: 0, min: 0, max: 16384, step: 1 }),
    clip_vision_output: seen(),
    reference_image: image(),
    face_video: image(),
    pose_video: image(),
    background_video: image(),
    character_mask: optional(link('MASK')),
    continue_motion: image(),
  },
  outputs: [
    ...promptOutputs,
    output('INT', 'trim_latent'),
    output('INT', 'trim_image'),
    output('INT', 'video_frame_offset'),
  ],
  async run(values, { signal }) {
    const { vae, batch_size, clip_vision_output, face_video, pose_video } = values;
    const { reference_image, background_video, character_mask, continue_motion, ...size } = values;
    const shape = latentShape(size, CHANNELS, CELL);
    const before = continue_motion && lastOf(continue_motion, values.continue_motion_max_frames);
    const offset = Math.max(0, values.video_frame_offset - (before?.shape[0] ?? 0));
    const continued = before && framesFrom(before, Math.max(0, before.shape[0]! - size.length), size);
    const continuingLatents = continued ? latentFrames(continued.batch) : 0;
    const continuing = Math.max(0, continuingLatents * FRAMES - (FRAMES - 1));
    const character = await encodeFrames(
      vae,
      framesFrom(reference_image ?? zeros([1, size.height, size.width, 3]), 0, size)!,
      signal,
    );
    const trimmed = character.shape[2]!;
    const frames = givenFrames(size, continued, framesFrom(background_video, offset, size), continuing);
    const latent = concatAlong(2, character, await encodeFrames(vae, frames, signal));
    const ofCharacter = zeros([1, FRAMES, trimmed, ...shape.slice(2)]);
    const mask = concatAlong(
      2,
      ofCharacter,
      changesOf(character_mask, { ...size, continuingLatents, continuing, offset }),
    );
    const posed = framesFrom(pose_video, offset, size);
    const pose = posed && (await encodeFrames(vae, prolonged(posed, size.length), signal));
    const face = framesFrom(face_video, offset, { ...size, width: FACE_SIDE, height: FACE_SIDE });
    const faces = face && facePixels(face);
    const prompt = (conditioning: Conditioning, seenFaces: FloatTensor | undefined): Conditioning => {
      const options: ConditioningOptions = {
        inpainting: { latent, mask },
        ...(clip_vision_output && { vision: clip_vision_output }),
        guides: { ...(pose && { pose }), ...(seenFaces && { faces: seenFaces }) },
      };
      return withOptions(conditioning, options);
    };
    // The negative prompt sees a black image.
    const black = faces && { shape: faces.shape, data: new Float32Array(faces.data.length).fill(-1) };
    return [
      prompt(values.positive, faces),
      prompt(values.negative, black),
      { samples: zeros([batch_size, shape[0]!, shape[1]! + trimmed, ...shape.slice(2)]) },
      trimmed,
      continuing,
      offset + size.length,
    ];
  },
});

function lastOf({ shape, data }: FloatTensor, most: number): FloatTensor {
  const count = Math.min(most, shape[0]!);
  return {
    shape: [count, ...shape.slice(1)],
    data: data.subarray(((shape[0]! - count) * data.length) / shape[0]!),
  };
}

/** Gray frames, with those that continue a video at the start, and the background after them. */
function givenFrames(
  { width, height, length }: VideoSize,
  continued: Raster | undefined,
  background: Raster | undefined,
  continuing: number,
): FloatTensor {
  const video = zeros([length, height, width, 3]);
  video.data.fill(GRAY);
  if (continued) video.data.set(continued.data);
  const start = continuing * height * width * 3;
  if (background && background.batch > continuing) video.data.set(background.data.subarray(start), start);
  return video;
}

export const wanAnimateNodes: AnyNode[] = [animate];
