/** Images as videos of one frame. */
import type { FloatTensor } from './tensor.ts';

/** [batch, channels, 1, height, width] as images, [batch, channels, height, width]. Other tensors stay. */
export function withoutFrames({ shape, data }: FloatTensor): FloatTensor {
  const [batch = 1, channels = 1, frames, ...sides] = shape;
  return shape.length === 5 && frames === 1 ? { shape: [batch, channels, ...sides], data } : { shape, data };
}

/** Images [batch, channels, height, width] as videos of one frame. */
export const asFrames = ({ shape: [batch = 1, channels = 1, ...sides], data }: FloatTensor): FloatTensor => ({
  shape: [batch, channels, 1, ...sides],
  data,
});
