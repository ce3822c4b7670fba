import type { GuidanceValues } from '../../values/guidance.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { combine } from '../tensor-math.ts';
import { dot, forEachImage } from './image-statistics.ts';

/** A scale of its own for each picture of a batch, for frames of a video. `at`: from 0, the first, to 1, the last. */
export const perFrameScale =
  (scaleAt: (at: number, scale: number) => number) =>
  ({ cond, uncond, scale }: GuidanceValues): FloatTensor => {
    const frames = cond.shape[0]!;
    const guided = combine([1, uncond]);
    forEachImage(guided, (start, end, index) => {
      const own = scaleAt(frames > 1 ? index / (frames - 1) : 0, scale);
      for (let i = start; i < end; i++) guided.data[i]! += own * (cond.data[i]! - uncond.data[i]!);
    });
    return guided;
  };

/** From `lowest` at the first frame to the whole scale at the last. */
export const linearFrameScale = (lowest: number) =>
  perFrameScale((at, scale) => lowest + (scale - lowest) * at);

/** `lowest` at both ends, the whole scale in the middle. */
export const triangleFrameScale = (lowest: number) =>
  perFrameScale((at, scale) => lowest + (scale - lowest) * 2 * Math.abs(at - Math.floor(at + 0.5)));

/**
 * Guidance below a noise level only, and never longer than `longest` times what the prompt alone gives (Qin et al.,
 * "Lumina-Image 2.0", 2025, section 3.4). 0: any length.
 */
export const renormCfg =
  (below: number, longest: number) =>
  ({ sigma, cond, uncond, scale }: GuidanceValues): FloatTensor => {
    if (sigma >= below) return cond;
    const guided = combine([scale, cond], [1 - scale, uncond]);
    if (longest <= 0) return guided;
    forEachImage(guided, (start, end) => {
      const length = Math.sqrt(dot(guided.data, guided.data, start, end));
      const allowed = longest * Math.sqrt(dot(cond.data, cond.data, start, end));
      if (length < allowed || length === 0) return;
      for (let i = start; i < end; i++) guided.data[i]! *= allowed / length;
    });
    return guided;
  };

/**
 * Mixes the guided latent with the scaled one of the prompt alone: the more, the less the guided one looks like what there is
 * without the prompt. Likeness is the cosine over the channels of signed roots, its mean over all cells.
 */
export function mahiro({
  cond,
  uncond,
  scale,
  denoised,
}: GuidanceValues & { denoised: FloatTensor }): FloatTensor {
  const leap = combine([scale, cond]);
  const likeness = meanCosine(roots(combine([scale, uncond])), roots(combine([0.5, leap], [0.5, denoised])));
  const share = (likeness + 1) / 2;
  return combine([share, denoised], [1 - share, leap]);
}

const roots = ({ shape, data }: FloatTensor): FloatTensor => ({
  shape,
  data: data.map((value) => Math.sign(value) * Math.sqrt(Math.abs(value))),
});

/** Over the channels of [batch, channels, height, width]. */
function meanCosine(a: FloatTensor, b: FloatTensor): number {
  const [batch = 1, channels = 1] = a.shape;
  const cells = a.data.length / (batch * channels);
  let sum = 0;
  for (let picture = 0; picture < batch; picture++)
    for (let cell = 0; cell < cells; cell++) {
      let [ab, aa, bb] = [0, 0, 0];
      for (let channel = 0; channel < channels; channel++) {
        const at = (picture * channels + channel) * cells + cell;
        ab += a.data[at]! * b.data[at]!;
        aa += a.data[at]! ** 2;
        bb += b.data[at]! ** 2;
      }
      sum += ab / Math.max(Math.sqrt(aa) * Math.sqrt(bb), 1e-8);
    }
  return sum / (batch * cells);
}
