import { describe, expect, it } from 'vitest';
import { full } from '../../values/tensor.ts';
import { cascadeLevels } from './cascade.ts';
import { angularTime, continuousLevels, logarithmicTime } from './continuous.ts';
import {
  distilledLevels,
  sigmasOfBetas,
  stableDiffusionBetas,
  tabulatedLevels,
  zeroTerminalSnr,
} from './discrete.ts';
import { flowLevels, fluxLevels } from './flow.ts';
import { alphaOf, halfLogSnr, sigmaOfHalfLogSnr } from './half-log-snr.ts';
import {
  consistencyPrediction,
  edmPrediction,
  flowPrediction,
  imagePrediction,
  imageToImage,
  noisePrediction,
  velocityPrediction,
} from './prediction.ts';

const table = sigmasOfBetas(stableDiffusionBetas);

describe.each([
  ['tabulatedLevels', tabulatedLevels(table)],
  ['distilledLevels', distilledLevels(table)],
  ['continuousLevels', continuousLevels(0.002, 120, logarithmicTime)],
  ['angular continuousLevels', continuousLevels(0.002, 500, angularTime)],
  ['cascadeLevels', cascadeLevels(2)],
  ['flowLevels', flowLevels(3)],
  ['fluxLevels', fluxLevels(1.15)],
])('%s', (_, levels) => {
  it('ascend between their bounds', () => {
    const { sigmas, sigmaMin, sigmaMax } = levels;
    expect([sigmas[0], sigmas.at(-1)]).toEqual([Math.fround(sigmaMin), Math.fround(sigmaMax)]);
    expect(sigmas.every((sigma, i) => i === 0 || sigma >= sigmas[i - 1]!)).toBe(true);
  });

  it('have no noise at the end, and at the start at least as much as the highest level', () => {
    expect([levels.sigmaAt(1), levels.sigmaAt(2)]).toEqual([0, 0]);
    expect(levels.sigmaAt(0)).toBeGreaterThanOrEqual(levels.sigmaMax);
    expect(levels.sigmaAt(-1)).toBe(levels.sigmaAt(0));
    expect(levels.sigmaAt(0.2)).toBeGreaterThan(levels.sigmaAt(0.6));
  });
});

// The timesteps of Cascade and of flows ignore the shift, so they do not lead back to the shifted level.
it.each([
  ['tabulatedLevels', tabulatedLevels(table)],
  ['distilledLevels', distilledLevels(table)],
  ['continuousLevels', continuousLevels(0.002, 120, logarithmicTime)],
  ['angular continuousLevels', continuousLevels(0.002, 500, angularTime)],
])('%s have timesteps that lead back to the level', (_, levels) => {
  for (const sigma of [levels.sigmas[20]!, levels.sigmas.at(-20)!])
    expect(levels.sigmaOf(levels.timestepOf(sigma)) / sigma).toBeCloseTo(1, 3);
});

describe('beta schedules', () => {
  it('begin and end with the betas of Stable Diffusion', () => {
    expect(table[0]).toBeCloseTo(Math.sqrt(0.00085 / (1 - 0.00085)), 10);
    expect(table.at(-1)).toBeCloseTo(14.6146, 4);
  });

  it.each([
    ['linear', [0.1, 0.2, 0.3]],
    ['scaled_linear', [0.1, ((Math.sqrt(0.1) + Math.sqrt(0.3)) / 2) ** 2, 0.3]],
  ] as const)('%s interpolates the betas or their roots', (kind, betas) => {
    const levels = sigmasOfBetas({ kind, start: 0.1, end: 0.3, steps: 3 });
    let alphaBar = 1;
    for (const [i, beta] of betas.entries()) {
      alphaBar *= 1 - beta;
      expect(levels[i]).toBeCloseTo(Math.sqrt((1 - alphaBar) / alphaBar), 10);
    }
  });

  it('squaredcos_cap_v2 limits the last beta to 0.999', () => {
    const [beforeLast, last] = sigmasOfBetas({
      kind: 'squaredcos_cap_v2',
      start: 0,
      end: 0,
      steps: 100,
    }).slice(-2);
    // alpha-bar shrinks by 1 - 0.999 in the last step.
    expect((last! ** 2 + 1) / (beforeLast! ** 2 + 1)).toBeCloseTo(1000, 6);
  });

  it('zeroTerminalSnr keeps the first level and makes the last nearly pure noise', () => {
    const levels = zeroTerminalSnr(table);
    expect(levels[0]).toBeCloseTo(table[0]!, 10);
    expect(levels.at(-1)).toBeCloseTo(4518.76, 1);
  });

  it('distilled levels know every 20th timestep of the teacher', () => {
    const levels = distilledLevels(table);
    expect(levels.sigmas).toHaveLength(50);
    expect([levels.timestepOf(levels.sigmaMin), levels.timestepOf(levels.sigmaMax)]).toEqual([19, 999]);
    expect(levels.sigmaOf(999)).toBeCloseTo(table[999]!, 4);
  });
});

describe('flows', () => {
  it('shift the level, which times the multiplier is the timestep', () => {
    const levels = flowLevels(3);
    expect(levels.sigmaOf(500)).toBeCloseTo(0.75, 6);
    expect(levels.timestepOf(0.75)).toBe(750);
    expect(levels.sigmaAt(0.5)).toBe(0.75);
    expect(fluxLevels(Math.log(3)).sigmaOf(0.5)).toBeCloseTo(0.75, 6);
    expect(fluxLevels(1).timestepOf(0.75)).toBe(0.75);
  });
});

it('the timestep of a cascade level is the time of the unshifted schedule', () => {
  const unshifted = cascadeLevels(1);
  expect(unshifted.timestepOf(unshifted.sigmaOf(0.3))).toBeCloseTo(0.3, 6);
  expect(cascadeLevels(2).sigmaOf(0.3)).toBeCloseTo(2 * unshifted.sigmaOf(0.3), 6);
});

describe('predictions', () => {
  const [image, noise] = [full([2], 3), full([2], 0.5)];
  const first = ({ data }: { data: Float32Array }) => data[0]!;
  const sigma = 2;
  // x = image + sigma noise, in a flow (1 - sigma) image + sigma noise.
  const x = full([2], 3 + sigma * 0.5);

  it.each([
    ['noisePrediction', noisePrediction(), 0.5],
    ['velocityPrediction', velocityPrediction(), (0.5 - sigma * 3) / Math.hypot(1, sigma)],
    ['edmPrediction', edmPrediction(), (sigma * 3 - 0.5) / Math.hypot(1, sigma)],
    ['imagePrediction', imagePrediction(), 3],
    ['imageToImage', imageToImage(), 3],
  ])('%s returns the image for the exact output', (_, prediction, output) => {
    expect(first(prediction.noised(sigma, noise, image, false))).toBeCloseTo(4, 6);
    expect(first(prediction.denoised(sigma, full([2], output), x))).toBeCloseTo(3, 5);
    expect(prediction.finished(sigma, x)).toBe(x);
  });

  it('flowPrediction returns the image for the exact direction', () => {
    const flow = flowPrediction();
    const mixed = flow.noised(0.25, noise, image, false);
    expect(first(mixed)).toBeCloseTo(0.75 * 3 + 0.25 * 0.5, 6);
    expect(first(flow.denoised(0.25, full([2], 0.5 - 3), mixed))).toBeCloseTo(3, 6);
    expect(first(flow.finished(0.25, full([2], 1.5)))).toBe(2);
  });

  it('scale the input to variance 1, and the noise of the highest level as well', () => {
    expect(first(noisePrediction().input(2, x))).toBeCloseTo(4 / Math.sqrt(5), 6);
    expect(first(edmPrediction(0.5).input(2, x))).toBeCloseTo(4 / Math.hypot(2, 0.5), 6);
    expect(first(noisePrediction().noised(2, noise, image, true))).toBeCloseTo(3 + Math.sqrt(5) * 0.5, 6);
    expect(imageToImage().input(2, x)).toBe(x);
    expect(flowPrediction().input(0.5, x)).toBe(x);
  });

  it('consistencyPrediction returns x at timestep 0 and nearly the image at high ones', () => {
    const levels = tabulatedLevels(table);
    const consistency = consistencyPrediction(levels);
    const output = full([2], 0.5);
    expect(first(consistency.denoised(levels.sigmaMin, output, x))).toBe(4);
    expect(first(consistency.denoised(levels.sigmaMax, output, x))).toBeCloseTo(4 - levels.sigmaMax * 0.5, 3);
  });
});

describe('halfLogSnr', () => {
  it.each([
    [noisePrediction(), 2, -Math.log(2), 1],
    [flowPrediction(), 0.25, Math.log(3), 0.75],
  ])('inverts sigmaOfHalfLogSnr (%#)', (prediction, sigma, lambda, alpha) => {
    expect(halfLogSnr(prediction, sigma)).toBeCloseTo(lambda, 10);
    expect(sigmaOfHalfLogSnr(prediction, lambda)).toBeCloseTo(sigma, 10);
    expect(alphaOf(prediction, sigma)).toBe(alpha);
  });
});
