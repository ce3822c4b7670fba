import type { GuidanceValues } from '../../values/guidance.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { combine, map } from '../tensor-math.ts';
import { channelNorms, dot, forEachImage, standardDeviation } from './image-statistics.ts';

/**
 * Brings the spread of the guided velocity back to that with the prompt alone (Lin et al., "Common diffusion noise schedules
 * and sample steps are flawed", 2023, equations 14 to 16), by the share `share`.
 */
export const rescaleCfg =
  (share: number) =>
  ({ x, sigma, cond, uncond, scale }: GuidanceValues): FloatTensor => {
    const root = Math.sqrt(sigma * sigma + 1);
    const velocity = (denoised: FloatTensor) => combine([1 / (root * sigma), x], [-root / sigma, denoised]);
    const [wanted, unwanted] = [velocity(cond), velocity(uncond)];
    const guided = combine([scale, wanted], [1 - scale, unwanted]);
    forEachImage(guided, (start, end) => {
      const ratio = standardDeviation(wanted.data, start, end) / standardDeviation(guided.data, start, end);
      for (let i = start; i < end; i++) guided.data[i]! *= share * ratio + 1 - share;
    });
    return combine([1 / (root * root), x], [-sigma / root, guided]);
  };

/** Where the guided latent is longer over its channels than that with the prompt alone, it is shortened to that. */
export const cfgNorm =
  (strength: number) =>
  ({ cond, denoised }: GuidanceValues & { denoised: FloatTensor }): FloatTensor => {
    const [allowed, given] = [channelNorms(cond), channelNorms(denoised)];
    const data = denoised.data.map(
      (value, i) => value * Math.min(allowed[i]! / (given[i]! + 1e-8), 1) * strength,
    );
    return { shape: denoised.shape, data };
  };

/** CFG-Zero* (Fan et al., "CFG-Zero*: improved classifier-free guidance for flow matching models", 2025, equation 8). */
export function cfgZeroStar({
  x,
  cond,
  uncond,
  scale,
  denoised,
}: GuidanceValues & { denoised: FloatTensor }): FloatTensor {
  const [wanted, unwanted] = [combine([1, x], [-1, cond]), combine([1, x], [-1, uncond])];
  const result = combine([1, denoised]);
  forEachImage(x, (start, end) => {
    const alpha =
      dot(wanted.data, unwanted.data, start, end) / (dot(unwanted.data, unwanted.data, start, end) + 1e-8);
    for (let i = start; i < end; i++) result.data[i]! += uncond.data[i]! * (alpha - 1) * (1 - scale);
  });
  return result;
}

/**
 * Tangential damping (Kwon et al., "TCFG: tangential damping classifier-free guidance", 2025): of the direction without the
 * prompt only what lies along the first singular vector of both stays.
 */
export function tangentialDamping(values: GuidanceValues): GuidanceValues {
  const { x, cond, uncond } = values;
  const [wanted, unwanted] = [combine([1, x], [-1, cond]), combine([1, x], [-1, uncond])];
  const damped = combine([1, uncond]);
  forEachImage(x, (start, end) => {
    const aa = dot(wanted.data, wanted.data, start, end);
    const ab = dot(wanted.data, unwanted.data, start, end);
    const bb = dot(unwanted.data, unwanted.data, start, end);
    // The greater eigenvalue of the 2 x 2 matrix of products, and its vector (p, q): the singular vector is p a + q b.
    const value = (aa + bb) / 2 + Math.hypot((aa - bb) / 2, ab);
    const [p, q] = Math.abs(ab) > 1e-12 * value ? [ab, value - aa] : aa >= bb ? [1, 0] : [0, 1];
    const square = p * p * aa + 2 * p * q * ab + q * q * bb;
    const along = square > 0 ? (p * ab + q * bb) / square : 0;
    for (let i = start; i < end; i++)
      damped.data[i] = x.data[i]! - along * (p * wanted.data[i]! + q * unwanted.data[i]!);
  });
  return { ...values, uncond: damped };
}

/**
 * Adaptive projected guidance (Sadat et al., "Eliminating oversaturation and artifacts of high guidance scales in diffusion
 * models", 2024, algorithm 1). Remembers the last steps of a run: one for each run.
 */
export function adaptiveProjectedGuidance({
  eta,
  threshold,
  momentum,
}: {
  eta: number;
  threshold: number;
  momentum: number;
}) {
  let past: { sigma: number; direction: FloatTensor } | undefined;
  return (values: GuidanceValues): GuidanceValues => {
    const { sigma, cond, uncond, scale } = values;
    let direction = combine([1, cond], [-1, uncond]);
    if (momentum !== 0) {
      // A higher level than the last: another run has begun.
      if (past && past.sigma > sigma) direction = combine([1, direction], [momentum, past.direction]);
      past = { sigma, direction };
    }
    const changed = combine([1 / scale, cond], [1 - 1 / scale, uncond]);
    forEachImage(cond, (start, end) => {
      const length = Math.sqrt(dot(direction.data, direction.data, start, end));
      const shortened = threshold > 0 && length > threshold ? threshold / length : 1;
      const square = dot(cond.data, cond.data, start, end);
      const share = square > 0 ? dot(direction.data, cond.data, start, end) / square : 0;
      for (let i = start; i < end; i++) {
        const parallel = share * cond.data[i]!;
        changed.data[i]! += shortened * (direction.data[i]! - parallel + eta * parallel);
      }
    });
    return { ...values, cond: changed };
  };
}

/** Less noise is taken for seen than was predicted (Ning et al., "Elucidating the exposure bias in diffusion models", 2023). */
export const epsilonScaling =
  (factor: number) =>
  ({ x, denoised }: GuidanceValues & { denoised: FloatTensor }): FloatTensor =>
    combine([1 - 1 / factor, x], [1 / factor, denoised]);

/** A mask of several greys as a map of when each cell may change (Levin and Fried, "Differential diffusion", 2023, algorithm 1). */
export function differentialDiffusionMask(
  mask: FloatTensor,
  threshold: number,
  strength: number,
): FloatTensor {
  return map((value) => strength * (value >= threshold ? 1 : 0) + (1 - strength) * value, mask);
}
