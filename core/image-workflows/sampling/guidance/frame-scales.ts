/** Classifier-free guidance with a scale of its own for each frame of a video. */
import type { GuidanceValues } from '../../values/guidance.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { combine } from '../tensor-math.ts';
import { forEachImage } from './image-statistics.ts';

/** @param scaleAt the scale at a position from 0, the first frame, to 1, the last. */
const perFrameScale =
  (scaleAt: (position: number, scale: number) => number) =>
  ({ cond, uncond, scale }: GuidanceValues): FloatTensor => {
    const frames = cond.shape[0]!;
    const guided = combine([1, uncond]);
    forEachImage(guided, (start, end, index) => {
      const frameScale = scaleAt(frames > 1 ? index / (frames - 1) : 0, scale);
      for (let i = start; i < end; i++) guided.data[i]! += frameScale * (cond.data[i]! - uncond.data[i]!);
    });
    return guided;
  };

/** Guidance scales that rise linearly from `lowest` at the first frame to the full scale at the last. */
export const linearFrameScale = (lowest: number) =>
  perFrameScale((position, scale) => lowest + (scale - lowest) * position);

/** `lowest` at both ends, the full scale in the middle. */
export const triangleFrameScale = (lowest: number) =>
  perFrameScale(
    (position, scale) => lowest + (scale - lowest) * 2 * Math.abs(position - Math.floor(position + 0.5)),
  );
