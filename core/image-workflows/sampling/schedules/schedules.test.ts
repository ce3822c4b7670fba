import { describe, expect, test } from 'vitest';
import { stableDiffusion } from '#test/support/image-workflows/analytic-sampling.ts';
import { flowLevels, fluxLevels, fluxShift } from '../model-sampling/flow.ts';
import { betaQuantile, incompleteBeta } from './beta-quantile.ts';
import { flux2Levels, laplace, polyexponential, tokenShifted, variancePreserving } from './formulas.ts';
import { alignYourSteps } from './optimized-steps.ts';
import { partialSchedule, SCHEDULERS, schedule } from './schedulers.ts';
import { turbo } from './tabulated.ts';

const rounded = (levels: Iterable<number>) => Array.from(levels, (level) => Number(level.toFixed(4)));

describe('four steps for Stable Diffusion', () => {
  test.each([
    ['simple', [14.6146, 4.0817, 1.6129, 0.6932, 0]],
    ['sgm_uniform', [14.6146, 4.0861, 1.6156, 0.6951, 0]],
    ['karras', [14.6146, 3.1686, 0.4469, 0.0292, 0]],
    ['exponential', [14.6146, 1.84, 0.2317, 0.0292, 0]],
    ['ddim_uniform', [4.1167, 1.6237, 0.6984, 0.0413, 0]],
    ['beta', [14.6146, 5.6866, 1.6183, 0.5154, 0]],
    ['normal', [14.6146, 2.9183, 0.9324, 0.0292, 0]],
    ['linear_quadratic', [14.6146, 14.432, 14.2493, 10.5956, 0]],
    ['kl_optimal', [14.6146, 1.5971, 0.5729, 0.0292, 0]],
  ])('%s', (name, levels) => {
    expect(rounded(schedule(name, stableDiffusion, 4))).toEqual(levels);
  });
});

test.each(Object.keys(SCHEDULERS))('%s has the requested single step, and descends', (name) => {
  const single = schedule(name, stableDiffusion, 1);
  expect(single).toHaveLength(2);
  expect(single[0]).toBeGreaterThan(0);
  const many = [...schedule(name, stableDiffusion, 25)];
  expect(many.every((level, i) => i === 0 || level < many[i - 1]!)).toBe(true);
});

test('flow schedules are shifted towards noise', () => {
  expect(rounded(schedule('simple', flowLevels(3), 4))).toEqual([1, 0.9, 0.75, 0.5, 0]);
  expect(rounded(schedule('simple', fluxLevels(1.15), 4))).toEqual([1, 0.9045, 0.7595, 0.5128, 0]);
  expect(fluxShift(0.5, 1.15, 1024, 1024)).toBeCloseTo(1.15);
  expect(fluxShift(0.5, 1.15, 256, 256)).toBeCloseTo(0.5);
});

test('partialSchedule returns the end of a longer schedule', () => {
  expect(rounded(partialSchedule('normal', stableDiffusion, 4, 0.5))).toEqual([
    1.2768, 0.7913, 0.4397, 0.0292, 0,
  ]);
  expect(partialSchedule('normal', stableDiffusion, 4, 0)).toHaveLength(0);
});

test('schedules from formulas', () => {
  expect(rounded(polyexponential(3, 0.1, 10, 1))).toEqual([10, 1, 0.1, 0]);
  expect(rounded(variancePreserving(2))).toEqual(
    [Math.sqrt(Math.expm1(10.05)), 0.0105, 0].map((x) => Number(x.toFixed(4))),
  );
  expect(rounded(laplace(3, 0.03, 14.6))).toEqual([14.6, 1, 0.03].map((x) => x).slice(0, 3));
  const stretched = tokenShifted(4, 4096, { max: 2.05, base: 0.95 }, 0.1);
  expect(rounded([stretched[0]!, stretched[3]!, stretched[4]!])).toEqual([1, 0.1, 0]);
  expect(rounded(turbo(stableDiffusion, 1, 1))).toEqual([14.6146, 0]);
  expect(turbo(stableDiffusion, 4, 0.5)).toHaveLength(5);
});

test('published levels are interpolated for other numbers of steps', () => {
  expect(rounded(alignYourSteps('SD1', 10, 1))[1]).toBe(6.4746);
  expect(alignYourSteps('SDXL', 20, 1)).toHaveLength(21);
  expect(alignYourSteps('SD1', 10, 0.5)).toHaveLength(6);
  expect(alignYourSteps('SD1', 10, 0)).toHaveLength(0);
});

test('quantiles of the beta distribution', () => {
  expect(betaQuantile(0.5, 2, 2)).toBeCloseTo(0.5, 12);
  // I_x(2, 3) = x^2 (6 - 8 x + 3 x^2)
  expect(incompleteBeta(0.3, 2, 3)).toBeCloseTo(0.09 * (6 - 2.4 + 0.27), 12);
  expect(incompleteBeta(betaQuantile(0.9, 0.6, 0.6), 0.6, 0.6)).toBeCloseTo(0.9, 10);
});

// Computed with the formula of FLUX.2's published code in Python.
test('levels of FLUX.2 depend on the number of tokens and steps', () => {
  expect(rounded(flux2Levels(4, 4096))).toEqual([1, 0.9674, 0.9081, 0.7672, 0]);
  expect(rounded(flux2Levels(4, 8192))).toEqual([1, 0.9499, 0.8633, 0.678, 0]);
});
