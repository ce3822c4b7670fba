/** Two frames of a video in a row as channels of one. */
import { type FloatTensor, zeros } from './tensor.ts';

/**
 * [batch, channels, 2 n - 1, height, width] to [batch, 2 · channels, n, height, width]. The first frame stands twice, and
 * so does the last one of an even number.
 */
export function pairFrames({ shape, data }: FloatTensor): FloatTensor {
  const [batch = 1, channels = 1, frames = 1, height = 1, width = 1] = shape;
  const pairs = Math.floor(frames / 2) + 1;
  const result = zeros([batch, 2 * channels, pairs, height, width]);
  const size = height * width;
  for (let plane = 0; plane < batch * 2 * channels; plane++) {
    const [video, half] = [Math.floor(plane / (2 * channels)), Math.floor(plane / channels) % 2];
    for (let pair = 0; pair < pairs; pair++) {
      const frame = Math.min(Math.max(2 * pair + half - 1, 0), frames - 1);
      const from = ((video * channels + (plane % channels)) * frames + frame) * size;
      result.data.set(data.subarray(from, from + size), (plane * pairs + pair) * size);
    }
  }
  return result;
}

/** Reverts `pairFrames`. */
export function unpairFrames({ shape, data }: FloatTensor): FloatTensor {
  const [batch = 1, both = 2, pairs = 1, height = 1, width = 1] = shape;
  const [channels, frames] = [both / 2, 2 * pairs - 1];
  const result = zeros([batch, channels, frames, height, width]);
  const size = height * width;
  for (let plane = 0; plane < batch * channels; plane++) {
    const [video, channel] = [Math.floor(plane / channels), plane % channels];
    for (let frame = 0; frame < frames; frame++) {
      const [pair, half] = [Math.floor((frame + 1) / 2), (frame + 1) % 2];
      const from = ((video * both + half * channels + channel) * pairs + pair) * size;
      result.data.set(data.subarray(from, from + size), (plane * frames + frame) * size);
    }
  }
  return result;
}
