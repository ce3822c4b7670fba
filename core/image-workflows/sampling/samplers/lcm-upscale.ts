import { planesToRaster, rasterToPlanes } from '../../images/rasters.ts';
import { type ResizeMethod, resize } from '../../images/resize/resize.ts';
import { roundHalfEven } from '../../images/rounding.ts';
import type { Sampler } from '../../values/sampler.ts';
import { combine } from '../tensor-math.ts';

/**
 * Consistency sampling with growing latents. After each of the first `steps` steps, the clean latent is enlarged, in
 * equal increments up to `ratio` times its sides. Then it gets new noise. Default of `steps`: half of all steps.
 */
export const lcmUpscale =
  ({ ratio, steps, method }: { ratio: number; steps?: number; method: ResizeMethod }): Sampler =>
  async (x, run) => {
    const levels = run.sigmas.length;
    const [height = 1, width = 1] = x.shape.slice(-2);
    const growing = steps === undefined ? Math.max(Math.floor(levels / 2), 1) : Math.min(steps, levels);
    for (let i = 0; i + 1 < levels; i++) {
      const [from, to] = [run.sigmas[i]!, run.sigmas[i + 1]!];
      const denoised = await run.denoise(x, from);
      await run.step(i, x, denoised);
      x = denoised;
      if (i < growing) {
        const scale = 1 + ((ratio - 1) * (i + 1)) / growing;
        const [wide, high] = [roundHalfEven(width * scale), roundHalfEven(height * scale)];
        if (wide < 1 || high < 1) throw new RangeError(`a scale of ${ratio} shrinks this latent to nothing`);
        x = rasterToPlanes(resize(planesToRaster(x), wide, high, method));
      }
      if (to > 0) x = combine([1, x], [to, run.noise(x.shape)]);
    }
    return x;
  };
