/** The guides of Wan's networks: videos (VACE), an image before the video, and a camera. */
import { concatChannels, toBatch } from '../../../values/batches.ts';
import { type FloatTensor, full, zeros } from '../../../values/tensor.ts';
import { findSlot } from '../../graphs/session-tensors.ts';
import type { NetworkInput } from '../../networks/onnx-network.ts';
import { packVideo, type VideoPatch } from '../../networks/video-tokens.ts';

const PATCH: VideoPatch = [1, 2, 2];
/** Channels of a mask of pixels: those of a cell of 8 x 8. */
const MASK_CHANNELS = 64;
/** Pixels of a token along both sides: 2 cells of 8. */
const [CELLS, PIXELS] = [2, 8];

/** The inputs of `wanGraph` for the guides of the prompts, as far as the network has them. Throws a `TypeError`. */
export function guideFeeds(input: NetworkInput): Record<string, FloatTensor> {
  const has = (name: string) => findSlot(input.session.inputs, name) !== undefined;
  return {
    ...(has('vace_states') && vaceFeeds(input)),
    ...(has('reference_states') && referenceFeeds(input)),
    ...(has('camera') && cameraFeeds(input)),
  };
}

const single = (value: number): FloatTensor => ({ shape: [1], data: Float32Array.of(value) });

/** Without a video, the network follows an empty one that changes everywhere. */
function vaceFeeds({ x, prompts }: NetworkInput): Record<string, FloatTensor> {
  const [batch = 1, channels = 1, ...sides] = x.shape;
  const empty = () => ({
    vace: concatChannels(zeros([1, 2 * channels, ...sides]), full([1, MASK_CHANNELS, ...sides], 1)),
    vaceStrengths: single(1),
  });
  const guides = prompts.map(({ videoInputs = {} }) => {
    const { vace, vaceStrengths } = videoInputs;
    return vace && vaceStrengths ? { vace, vaceStrengths } : empty();
  });
  for (const { vace } of guides) requireSides(vace, sides, 'WanVaceToVideo');
  const count = guides[0]!.vaceStrengths.data.length;
  const each = Array.from({ length: count }, (_, at) => guides.map((guide) => ({ ...guide, at }))).flat();
  return {
    vace_states: packVideo(
      toBatch(
        each.map(({ vace, at }) => entry(vace, at)),
        batch,
      ),
      PATCH,
      'channels first',
    ),
    vace_strengths: {
      shape: [count, prompts.length * batch],
      data: toBatch(
        each.map(({ vaceStrengths, at }) => single(vaceStrengths.data[at]!)),
        batch,
      ).data,
    },
  };
}

/** One entry of a batch. */
function entry({ shape: [batch = 1, ...rest], data }: FloatTensor, at: number): FloatTensor {
  const size = data.length / batch;
  return { shape: [1, ...rest], data: data.subarray(at * size, (at + 1) * size) };
}

function requireSides({ shape }: FloatTensor, sides: readonly number[], node: string): void {
  if (shape.slice(2).join() !== sides.join())
    throw new TypeError(
      `the video of ${node} has ${shape.slice(2).join(' x ')} cells, and the latent ${sides.join(' x ')}: sample the latent of ${node}, and set no areas on its prompts`,
    );
}

/** Without an image, the frame is left out. */
function referenceFeeds({ x, prompts }: NetworkInput): Record<string, FloatTensor> {
  const [batch = 1, channels = 1, , ...sides] = x.shape;
  const all = prompts.flatMap(({ videoInputs }) => videoInputs?.reference ?? []);
  for (const reference of all) requireSides(reference, [1, ...sides], 'the reference image');
  const frames =
    all.length > 0 ? toBatch(all, batch) : zeros([batch * prompts.length, channels, 1, ...sides]);
  return {
    reference_states: packVideo(frames, PATCH, 'channels first'),
    reference_start: single(all.length > 0 ? 0 : 1),
  };
}

function cameraFeeds({ session, x, prompts }: NetworkInput): Record<string, FloatTensor> {
  const [batch = 1, , frames = 1, height = 1, width = 1] = x.shape;
  const all = prompts.flatMap(({ videoInputs }) => videoInputs?.camera ?? []);
  if (all.length === 0) {
    const features = Number(findSlot(session.inputs, 'camera')!.shape[4]);
    const sides = [Math.ceil(height / CELLS), Math.ceil(width / CELLS)];
    return { camera: zeros([batch * prompts.length, frames, ...sides, features]), camera_share: single(0) };
  }
  for (const rays of all) requireSides(rays, [frames, height * PIXELS, width * PIXELS], 'WanCameraEmbedding');
  return { camera: toBatch(all.map(packRays), batch), camera_share: single(1) };
}

/**
 * [1, channels, frames, height, width] in pixels to [1, frames, rows, columns, features]. The features are those of a
 * pixel unshuffle by 8 and patches of 2 x 2 after it.
 */
function packRays({ shape, data }: FloatTensor): FloatTensor {
  const [, channels = 1, frames = 1, height = 1, width = 1] = shape;
  const side = CELLS * PIXELS;
  const [rows, columns] = [Math.floor(height / side), Math.floor(width / side)];
  const result = zeros([1, frames, rows, columns, channels * side * side]);
  let at = 0;
  for (let frame = 0; frame < frames; frame++)
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++)
        for (let channel = 0; channel < channels; channel++)
          for (let pixel = 0; pixel < PIXELS * PIXELS; pixel++)
            for (let cell = 0; cell < CELLS * CELLS; cell++) {
              const y = row * side + Math.floor(cell / CELLS) * PIXELS + Math.floor(pixel / PIXELS);
              const x = column * side + (cell % CELLS) * PIXELS + (pixel % PIXELS);
              result.data[at++] = data[((channel * frames + frame) * height + y) * width + x]!;
            }
  return result;
}
