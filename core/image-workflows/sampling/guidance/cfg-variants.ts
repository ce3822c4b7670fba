/** Variants of classifier-free guidance, as functions for the members of `Guidance`. */
import type { GuidanceValues } from '../../values/guidance.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { combine, map } from '../tensor-math.ts';
import { channelNorms, dot, forEachImage, standardDeviation } from './image-statistics.ts';

/**
 * Rescales the guided velocity to the standard deviation of the prompt's velocity. Source: Lin et al., "Common diffusion
 * noise schedules and sample steps are flawed", 2023, equations 14 to 16.
 *
 * @param share 0 to 1: the weight of the rescaled velocity.
 */
export const rescaleCfg =
  (share: number) =>
  ({ x, sigma, cond, uncond, scale }: GuidanceValues): FloatTensor => {
    const root = Math.sqrt(sigma * sigma + 1);
    const velocity = (denoised: FloatTensor) => combine([1 / (root * sigma), x], [-root / sigma, denoised]);
    const [condVelocity, uncondVelocity] = [velocity(cond), velocity(uncond)];
    const guided = combine([scale, condVelocity], [1 - scale, uncondVelocity]);
    forEachImage(guided, (start, end) => {
      const ratio =
        standardDeviation(condVelocity.data, start, end) / standardDeviation(guided.data, start, end);
      for (let i = start; i < end; i++) guided.data[i]! *= share * ratio + 1 - share;
    });
    return combine([1 / (root * root), x], [-sigma / root, guided]);
  };

/** Limits the norm over the channels of each cell to that of the prompt alone (ComfyUI's CFGNorm). */
export const cfgNorm =
  (strength: number) =>
  ({ cond, denoised }: GuidanceValues & { denoised: FloatTensor }): FloatTensor => {
    const [limits, norms] = [channelNorms(cond), channelNorms(denoised)];
    const data = denoised.data.map(
      (value, i) => value * Math.min(limits[i]! / (norms[i]! + 1e-8), 1) * strength,
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
  const [condNoise, uncondNoise] = [combine([1, x], [-1, cond]), combine([1, x], [-1, uncond])];
  const result = combine([1, denoised]);
  forEachImage(x, (start, end) => {
    const alpha =
      dot(condNoise.data, uncondNoise.data, start, end) /
      (dot(uncondNoise.data, uncondNoise.data, start, end) + 1e-8);
    for (let i = start; i < end; i++) result.data[i]! += uncond.data[i]! * (alpha - 1) * (1 - scale);
  });
  return result;
}

/**
 * Tangential damping (Kwon et al., "TCFG: tangential damping classifier-free guidance", 2025). The uncond direction is
 * projected to the first right singular vector of both directions.
 */
export function tangentialDamping(values: GuidanceValues): GuidanceValues {
  const { x, cond, uncond } = values;
  const [condNoise, uncondNoise] = [combine([1, x], [-1, cond]), combine([1, x], [-1, uncond])];
  const dampedUncond = combine([1, uncond]);
  forEachImage(x, (start, end) => {
    const aa = dot(condNoise.data, condNoise.data, start, end);
    const ab = dot(condNoise.data, uncondNoise.data, start, end);
    const bb = dot(uncondNoise.data, uncondNoise.data, start, end);
    // The larger eigenvalue of the 2 x 2 Gram matrix and its eigenvector (p, q). The singular vector is p a + q b.
    const value = (aa + bb) / 2 + Math.hypot((aa - bb) / 2, ab);
    const [p, q] = Math.abs(ab) > 1e-12 * value ? [ab, value - aa] : aa >= bb ? [1, 0] : [0, 1];
    const square = p * p * aa + 2 * p * q * ab + q * q * bb;
    const projection = square > 0 ? (p * ab + q * bb) / square : 0;
    for (let i = start; i < end; i++)
      dampedUncond.data[i] = x.data[i]! - projection * (p * condNoise.data[i]! + q * uncondNoise.data[i]!);
  });
  return { ...values, uncond: dampedUncond };
}

/**
 * Adaptive projected guidance (Sadat et al., "Eliminating oversaturation and artifacts of high guidance scales in
 * diffusion models", 2024, algorithm 1). The function remembers the last step.
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
  let last: { sigma: number; direction: FloatTensor } | undefined;
  return (values: GuidanceValues): GuidanceValues => {
    const { sigma, cond, uncond, scale } = values;
    let direction = combine([1, cond], [-1, uncond]);
    if (momentum !== 0) {
      // A level that is not below the last one belongs to a new run.
      if (last && last.sigma > sigma) direction = combine([1, direction], [momentum, last.direction]);
      last = { sigma, direction };
    }
    const changed = combine([1 / scale, cond], [1 - 1 / scale, uncond]);
    forEachImage(cond, (start, end) => {
      const norm = Math.sqrt(dot(direction.data, direction.data, start, end));
      const factor = threshold > 0 && norm > threshold ? threshold / norm : 1;
      const square = dot(cond.data, cond.data, start, end);
      const share = square > 0 ? dot(direction.data, cond.data, start, end) / square : 0;
      for (let i = start; i < end; i++) {
        const parallel = share * cond.data[i]!;
        changed.data[i]! += factor * (direction.data[i]! - parallel + eta * parallel);
      }
    });
    return { ...values, cond: changed };
  };
}

/** Divides the predicted noise by a factor (Ning et al., "Elucidating the exposure bias in diffusion models", 2023). */
export const epsilonScaling =
  (factor: number) =>
  ({ x, denoised }: GuidanceValues & { denoised: FloatTensor }): FloatTensor =>
    combine([1 - 1 / factor, x], [1 / factor, denoised]);

/**
 * Differential diffusion: the mask's value says how early a cell may change. Source: Levin and Fried, "Differential
 * diffusion: giving each pixel its strength", 2023, algorithm 1.
 */
export function differentialDiffusionMask(
  mask: FloatTensor,
  threshold: number,
  strength: number,
): FloatTensor {
  return map((value) => strength * (value >= threshold ? 1 : 0) + (1 - strength) * value, mask);
}

/**
 * Guidance below a noise level only, with a limited norm (Qin et al., "Lumina-Image 2.0", 2025, section 3.4).
 *
 * @param below the noise level.
 * @param maxRatio the largest norm of the result relative to that of the prompt alone. 0: no limit.
 */
export const renormCfg =
  (below: number, maxRatio: number) =>
  ({ sigma, cond, uncond, scale }: GuidanceValues): FloatTensor => {
    if (sigma >= below) return cond;
    const guided = combine([scale, cond], [1 - scale, uncond]);
    if (maxRatio <= 0) return guided;
    forEachImage(guided, (start, end) => {
      const norm = Math.sqrt(dot(guided.data, guided.data, start, end));
      const limit = maxRatio * Math.sqrt(dot(cond.data, cond.data, start, end));
      if (norm < limit || norm === 0) return;
      for (let i = start; i < end; i++) guided.data[i]! *= limit / norm;
    });
    return guided;
  };

/**
 * Mixes the guided latent with the scaled latent of the prompt alone (ComfyUI's Mahiro). The second gets more weight, the
 * less similar the mean of both is to the scaled uncond latent. Similarity is the mean cosine of signed square roots.
 */
export function mahiro({
  cond,
  uncond,
  scale,
  denoised,
}: GuidanceValues & { denoised: FloatTensor }): FloatTensor {
  const leap = combine([scale, cond]);
  const mean = combine([0.5, leap], [0.5, denoised]);
  const similarity = meanCosine(signedRoots(combine([scale, uncond])), signedRoots(mean));
  const share = (similarity + 1) / 2;
  return combine([share, denoised], [1 - share, leap]);
}

const signedRoots = (tensor: FloatTensor): FloatTensor =>
  map((value) => Math.sign(value) * Math.sqrt(Math.abs(value)), tensor);

/** The mean over all cells of the cosine over the channels of [batch, channels, height, width]. */
function meanCosine(a: FloatTensor, b: FloatTensor): number {
  const [batch = 1, channels = 1] = a.shape;
  const cells = a.data.length / (batch * channels);
  let sum = 0;
  for (let image = 0; image < batch; image++)
    for (let cell = 0; cell < cells; cell++) {
      let [ab, aa, bb] = [0, 0, 0];
      for (let channel = 0; channel < channels; channel++) {
        const at = (image * channels + channel) * cells + cell;
        ab += a.data[at]! * b.data[at]!;
        aa += a.data[at]! ** 2;
        bb += b.data[at]! ** 2;
      }
      sum += ab / Math.max(Math.sqrt(aa) * Math.sqrt(bb), 1e-8);
    }
  return sum / (batch * cells);
}
