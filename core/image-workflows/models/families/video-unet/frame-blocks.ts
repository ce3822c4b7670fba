/**
 * Layers over the frames of videos (Blattmann et al., "Stable Video Diffusion", 2023, appendix D; "Align your latents",
 * 2023, section 3.1). The images of a batch are the frames of one or more videos, one after the other.
 */
import type { StoredTensor } from '#core/tensors';
import { add, concat, dimensions, multiply, reshape, silu, transpose } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { groupNorm } from '../../layers/norms.ts';

/** Whether these are the weights of a network of videos. */
export function hasFrames(weights: ReadonlyMap<string, StoredTensor>): boolean {
  for (const name of weights.keys()) if (name.includes('.time_stack.')) return true;
  return false;
}

export interface FrameBlockInputs {
  /** The number of frames of each video, int64 [1]. */
  frames: Value;
  /** The embedding of the timestep after its activation. Undefined: the block takes none. */
  time?: Value;
}

/**
 * Mixes images with what a residual block over their frames makes of them: [batch, channels, height, width].
 * @param m has the residual block `time_stack` and the share of the images in `time_mixer`
 */
export function mixOverFrames(m: NetworkModule, x: Value, inputs: FrameBlockInputs): Value {
  return mix(m, x, frameBlock(m.at('time_stack'), x, inputs), m.at('time_mixer').parameter('mix_factor'));
}

/** share · first + (1 - share) · second, where the share is the sigmoid of `factor`. */
export function mix(m: NetworkModule, first: Value, second: Value, factor: Value): Value {
  const share = m.op('Sigmoid', [factor]);
  const difference = m.op('Sub', [first, second]);
  return add(m, second, multiply(m, share, difference));
}

/** A residual block whose convolutions see the frames of one cell: [batch, channels, height, width]. */
export function frameBlock(m: NetworkModule, x: Value, { frames, time }: FrameBlockInputs): Value {
  const video = toFrames(m, x, frames);
  const first = overFrames(m.at('conv1'), silu(m, groupNorm(m.at('norm1'), video, 1e-5)));
  const shifted = time === undefined ? first : add(m, first, frameShift(m, time, frames));
  const second = overFrames(m.at('conv2'), silu(m, groupNorm(m.at('norm2'), shifted, 1e-5)));
  return fromFrames(m, add(m, video, second), x);
}

/** The timestep's embedding for each frame: [videos, channels, frames, 1]. */
function frameShift(m: NetworkModule, time: Value, frames: Value): Value {
  const projection = m.at('time_emb_proj');
  const [channels = 0] = projection.shape();
  const sides = m.graph.int64Initializer([channels, 1]);
  const minus = m.graph.int64Initializer([-1]);
  const shift = m.op('Reshape', [linear(projection, time), concat(m, 0, minus, frames, sides)]);
  return transpose(m, shift, 0, 2, 1, 3);
}

/** Images as videos: [videos, channels, frames, cells]. */
export function toFrames(m: NetworkModule, x: Value, frames: Value): Value {
  const cells = reshape(m, x, 0, 0, -1);
  const minus = m.graph.int64Initializer([-1]);
  const split = m.op('Reshape', [cells, concat(m, 0, minus, frames, dimensions(m, cells, 1, 3))]);
  return transpose(m, split, 0, 2, 1, 3);
}

/** Reverts `toFrames`. @param like has the shape of the images */
export const fromFrames = (m: NetworkModule, video: Value, like: Value): Value =>
  m.op('Reshape', [transpose(m, video, 0, 2, 1, 3), m.op('Shape', [like])]);

/** A convolution along the frames of [videos, channels, frames, cells]. Its kernel is [frames, 1]. */
export function overFrames(m: NetworkModule, video: Value): Value {
  const [, , kernel = 1] = m.shape();
  const half = Math.floor(kernel / 2);
  return m.op('Conv', [video, m.parameter(), m.parameter('bias')], {
    kernel_shape: [kernel, 1],
    pads: [half, 0, half, 0],
  });
}
