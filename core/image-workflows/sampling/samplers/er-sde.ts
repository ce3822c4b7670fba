import type { Sampler } from '../../values/sampler.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { alphaOf } from '../model-sampling/half-log-snr.ts';
import { combine } from '../tensor-math.ts';
import { boundedLevels } from './exponential.ts';

/** phi of the extended reverse SDE, which decides how much noise it adds at a level. */
export type NoiseFunction = (level: number) => number;

/** Cui et al., "Elucidating the solution space of extended reverse-time SDE", 2023, equation 30 (ER-SDE 5). */
export const erSdeNoise: NoiseFunction = (level) => level * (Math.exp(level ** 0.3) + 10);
export const reverseSdeNoise =
  (eta: number): NoiseFunction =>
  (level) =>
    level ** (eta + 1);

const POINTS = 200;

/** VE ER-SDE-Solver-1 to -3 (Cui et al., 2023, algorithms 1 to 3), in levels relative to the coefficient of the image. */
export const erSde =
  ({
    noiseScale = 1,
    maxStage = 3,
    noiseFunction = erSdeNoise,
  }: {
    noiseScale?: number;
    maxStage?: number;
    noiseFunction?: NoiseFunction;
  } = {}): Sampler =>
  async (x, run) => {
    const sigmas = boundedLevels(run);
    const alpha = (i: number) => alphaOf(run.sampling, sigmas[i]!);
    const level = (i: number) => sigmas[i]! / alpha(i);
    let old: FloatTensor | undefined;
    let oldSlope: FloatTensor | undefined;
    for (let i = 0; i + 1 < sigmas.length; i++) {
      const denoised = await run.denoise(x, sigmas[i]!);
      await run.step(i, x, denoised);
      if (sigmas[i + 1] === 0) x = denoised;
      else {
        const [from, to] = [level(i), level(i + 1)];
        const r = noiseFunction(to) / noiseFunction(from);
        x = combine([(alpha(i + 1) / alpha(i)) * r, x], [alpha(i + 1) * (1 - r), denoised]);
        const stage = Math.min(maxStage, i + 1);
        if (old && stage >= 2) {
          const { plain, weighted } = integrals(noiseFunction, from, to);
          const width = from - level(i - 1);
          const slope = combine([1 / width, denoised], [-1 / width, old]);
          x = combine([1, x], [alpha(i + 1) * (to - from + plain * noiseFunction(to)), slope]);
          if (oldSlope && stage >= 3) {
            const wide = (from - level(i - 2)) / 2;
            const weight = alpha(i + 1) * ((to - from) ** 2 / 2 + weighted * noiseFunction(to));
            x = combine([1, x], [weight / wide, slope], [-weight / wide, oldSlope]);
          }
          oldSlope = slope;
        }
        const deviation = Math.sqrt(to ** 2 - from ** 2 * r ** 2);
        if (noiseScale > 0 && deviation > 0)
          x = combine([1, x], [alpha(i + 1) * deviation * noiseScale, run.noise()]);
      }
      old = denoised;
    }
    return x;
  };

/** Numerical integrals over the step of 1 / phi and of (level - from) / phi. */
function integrals(noiseFunction: NoiseFunction, from: number, to: number) {
  const width = (from - to) / POINTS;
  let [plain, weighted] = [0, 0];
  for (let i = 0; i < POINTS; i++) {
    const at = to + i * width;
    plain += width / noiseFunction(at);
    weighted += ((at - from) * width) / noiseFunction(at);
  }
  return { plain, weighted };
}
