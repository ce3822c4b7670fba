import { describe, expect, test } from 'vitest';
import { stableDiffusion } from '#test/support/image-workflows/analytic-sampling.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import type { DiffusionModel, StepCacheOptions } from '../../values/diffusion-model.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { seededNoise } from '../initial-noise.ts';
import { sample } from '../sample.ts';
import { SAMPLERS } from '../samplers/samplers.ts';
import { ChangeEstimator } from './change-estimator.ts';
import { cfgGuider } from './guiders.ts';

const of = (shape: readonly number[], value: number | ((place: number) => number)): FloatTensor => ({
  shape,
  data: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, place) =>
    typeof value === 'number' ? value : value(place),
  ),
});
const line = (value: number): FloatTensor => of([1, 1, 1, 4], value);

describe('the estimate of a change', () => {
  test('is how far the question moved, times how strongly answers followed, as a share of the answer', () => {
    const meter = new ChangeEstimator();
    expect(meter.moved(line(0))).toBeUndefined();
    meter.learn(line(0), line(10), undefined);
    const moved = meter.moved(line(2));
    expect(moved).toBe(2);
    expect(meter.stillFits(moved, 100)).toBe(false);
    // Moved by 2, followed by 1: a rate of a half. 4 further are 2 of 11.
    meter.learn(line(2), line(11), moved);
    expect(meter.stillFits(meter.moved(line(6)), 2 / 11 + 0.001)).toBe(true);
    // Shares add up until the model is asked, and begin anew then.
    expect(meter.stillFits(meter.moved(line(6)), 2 / 11 + 0.001)).toBe(false);
    expect(meter.stillFits(meter.moved(line(6)), 2 / 11 + 0.001)).toBe(true);
    expect(meter.stillFits(meter.moved(line(2)), 0)).toBe(false);
  });
  test('looks at every eighth cell', () => {
    const wide = (far: number) =>
      of([1, 1, 9, 9], (place) => (place === 8 * 9 + 8 ? far : place % 9 === 1 ? 99 : 0));
    const meter = new ChangeEstimator();
    meter.learn(wide(0), wide(0), undefined);
    expect(meter.moved(wide(4))).toBe(1);
  });
});

/** Its noise is a share of x and of the prompt's number, so that answers move steadily. */
function model(reuse?: Partial<StepCacheOptions>): DiffusionModel & { asked: number[]; log: string[] } {
  const asked: number[] = [];
  const log: string[] = [];
  return {
    asked,
    log,
    sampling: stableDiffusion,
    latent: { channels: 4, scaleFactor: 1, shiftFactor: 0 },
    guidance: { preCfg: [], postCfg: [] },
    network: {
      async predict(x, timestep, prompts) {
        asked.push(timestep);
        return prompts.map(({ tensor }) => ({
          shape: x.shape,
          data: x.data.map((value) => value * 0.9 + tensor.data[0]!),
        }));
      },
    },
    ...(reuse && {
      stepCache: {
        scope: 'network',
        threshold: 0.2,
        startPercent: 0,
        endPercent: 1,
        log: (one) => log.push(one),
        ...reuse,
      },
    }),
  };
}

const prompt = (value: number, options = {}): Conditioning => [{ tensor: line(value), options }];
const STEPS = 16;
const sigmas = Float32Array.from({ length: STEPS + 1 }, (_, i) => (14 * (STEPS - i)) / STEPS);

async function run(one: DiffusionModel, sampler = 'euler', positive = prompt(0.1)): Promise<FloatTensor> {
  const { samples } = await sample({
    guider: cfgGuider(one, positive, prompt(-0.1), 3),
    noise: { seed: 1n, generate: () => seededNoise(1n, [1, 4, 16, 16]) },
    sampler: { name: sampler, sampler: SAMPLERS[sampler]!.make() },
    sigmas,
    latent: { samples: of([1, 4, 16, 16], 0) },
    signal: new AbortController().signal,
  });
  return samples;
}
const distance = (a: FloatTensor, b: FloatTensor): number =>
  a.data.reduce((most, value, i) => Math.max(most, Math.abs(value - b.data[i]!)), 0);

describe.each(['network', 'guided'] as const)('reuse of the answers of the %s', (kind) => {
  test('asks the model less often, for nearly the same latent', async () => {
    const [plain, one] = [model(), model({ scope: kind })];
    const expected = await run(plain);
    const made = await run(one);
    expect(plain.asked).toHaveLength(STEPS);
    expect(one.asked.length).toBeLessThan(STEPS * 0.8);
    expect(one.asked.length).toBeGreaterThanOrEqual(2);
    expect(distance(made, expected)).toBeGreaterThan(0);
    expect(distance(made, expected)).toBeLessThan(0.5);
    expect(one.log.filter((line) => line.startsWith('asks'))).toHaveLength(one.asked.length);
    expect(one.log.filter((line) => line.startsWith('uses'))).toHaveLength(STEPS - one.asked.length);
  });
  test('a threshold of 0 skips nothing', async () => {
    const one = model({ scope: kind, threshold: 0 });
    expect(await run(one)).toEqual(await run(model()));
    expect(one.asked).toHaveLength(STEPS);
  });
  test('each run begins anew', async () => {
    const one = model({ scope: kind });
    const first = await run(one);
    const asked = one.asked.splice(0);
    expect(await run(one)).toEqual(first);
    expect(one.asked).toEqual(asked);
  });
  test('only in its part of the sampling', async () => {
    const one = model({ scope: kind, threshold: 3, startPercent: 0.4, endPercent: 0.7 });
    await run(one);
    const levels = [stableDiffusion.sigmaAt(0.4), stableDiffusion.sigmaAt(0.7)] as const;
    const told = sigmas.slice(0, -1).filter((sigma) => sigma <= levels[0] && sigma > levels[1]);
    expect(told.length).toBeGreaterThan(0);
    expect(one.log).toHaveLength(told.length);
    const outside = sigmas.slice(0, -1).filter((sigma) => sigma > levels[0] || sigma <= levels[1]);
    const times = new Set(one.asked);
    for (const sigma of outside) expect(times.has(stableDiffusion.timestepOf(sigma))).toBe(true);
  });
  test('samplers that look at both sides get both', async () => {
    const made = await run(model({ scope: kind }), 'euler_cfg_pp');
    expect(made.data.every(Number.isFinite)).toBe(true);
  });
});

test('a skipped step adds what the network added the last time, for each prompt', async () => {
  const kept: { x: FloatTensor; outputs: FloatTensor[] }[] = [];
  const one = model({ threshold: 3 });
  const { predict } = one.network;
  const watched: DiffusionModel = {
    ...one,
    network: {
      async predict(x, ...rest) {
        const outputs = await predict(x, ...rest);
        kept.push({ x, outputs });
        return outputs;
      },
    },
  };
  const opened = cfgGuider(watched, prompt(0.1), prompt(-0.1), 3).open(
    [1, 4, 16, 16],
    new AbortController().signal,
  );
  const noise = seededNoise(2n, [1, 4, 16, 16]);
  const at = (sigma: number): FloatTensor => ({ shape: noise.shape, data: noise.data.map((v) => v * sigma) });
  await opened.denoise(at(5), 5);
  await opened.denoise(at(4.5), 4.5);
  const skipped = await opened.denoiseBoth(at(4.4), 4.4);
  expect(kept).toHaveLength(2);
  const { x, outputs } = kept[1]!;
  const input = stableDiffusion.input(4.4, at(4.4));
  const [cond, uncond] = outputs.map(({ data }) =>
    stableDiffusion.denoised(
      4.4,
      { shape: x.shape, data: input.data.map((value, i) => value + data[i]! - x.data[i]!) },
      at(4.4),
    ),
  );
  expect(distance(skipped.uncond, uncond!)).toBeLessThan(1e-5);
  const expected = cond!.data.map((value, i) => uncond!.data[i]! + 3 * (value - uncond!.data[i]!));
  expect(distance(skipped.denoised, { shape: x.shape, data: expected })).toBeLessThan(1e-4);
});

test('a prompt that begins to count later is asked about first', async () => {
  const one = model({ threshold: 3 });
  const late = [...prompt(0.1), ...prompt(2, { schedule: { startPercent: 0.5 } })];
  const level = stableDiffusion.sigmaAt(0.5);
  await run(one, 'euler', late);
  const first = sigmas.find((sigma) => sigma <= level)!;
  expect(one.asked).toContain(stableDiffusion.timestepOf(first));
});
