import { repeatBatch, toBatch } from '../../../values/batches.ts';
import { type FloatTensor, zeros } from '../../../values/tensor.ts';
import { feedAll } from '../../graphs/session-tensors.ts';
import type { NetworkLayout } from '../../networks/onnx-network.ts';
import { seenCount, seenTokens } from '../../networks/seen-tokens.ts';
import { packVideo, unpackVideo, type VideoPatch, videoSides } from '../../networks/video-tokens.ts';

const PATCH: VideoPatch = [1, 2, 2];
/** The patches of a frame to which positions are stretched: 192 x 192. */
const AREA = 192 ** 2;

export const mochiLayout: NetworkLayout = {
  outputs: ['out_hidden_states'],
  groupKey: (prompt) => String(seenCount(prompt)),
  feeds({ session, x, timestep, prompts }) {
    const { shape, data } = packVideo(repeatBatch(x, prompts.length), PATCH, 'channels first');
    const [videos = 1, frames = 1, cells = 1, features = 1] = shape;
    const feeds = {
      hidden_states: { data, shape: [videos, frames * cells, features] },
      timestep: { shape: [1], data: Float32Array.of(timestep) },
      encoder_hidden_states: toBatch(prompts.map(seenTokens), x.shape[0]!),
      positions: positions(videoSides(x, PATCH)),
    };
    return feedAll(session, feeds);
  },
  toLatent({ shape: [batch = 1, , features = 1], data }, x) {
    const [frames, rows, columns] = videoSides(x, PATCH);
    const tokens = { shape: [batch, frames, rows * columns, features], data };
    return unpackVideo(tokens, x, PATCH, 'channels last');
  },
};

/** Frames count from 0. Rows and columns have 0 in the middle, and distances for which all frames have the same area. */
function positions([frames, rows, columns]: readonly [number, number, number]): FloatTensor {
  const step = Math.sqrt(AREA / (rows * columns));
  const result = zeros([frames * rows * columns, 3]);
  const place = (at: number, count: number) => step * (at + 0.5 - count / 2);
  for (let at = 0; at < frames * rows * columns; at++)
    result.data.set(
      [
        Math.floor(at / (rows * columns)),
        place(Math.floor(at / columns) % rows, rows),
        place(at % columns, columns),
      ],
      at * 3,
    );
  return result;
}
