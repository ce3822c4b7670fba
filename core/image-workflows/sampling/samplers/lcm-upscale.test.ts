import { expect, test } from 'vitest';
import { sampleAnalytically } from '#test/support/image-workflows/analytic-sampling.ts';
import { lcmUpscale } from './lcm-upscale.ts';

test('lcmUpscale ends in the enlarged size', async () => {
  const sigmas = Float32Array.of(10, 5, 2, 0.5, 0);
  const upscaled = (steps?: number) =>
    sampleAnalytically(
      lcmUpscale({ ratio: 1.5, method: 'bilinear', ...(steps !== undefined && { steps }) }),
      sigmas,
      5n,
      [1, 4, 4, 8],
    );
  expect((await upscaled()).end.shape).toEqual([1, 4, 6, 12]);
  expect((await upscaled(4)).end.shape).toEqual([1, 4, 6, 12]);
  expect((await upscaled(0)).end.shape).toEqual([1, 4, 4, 8]);
  expect((await upscaled()).runs).toBe(4);
});
