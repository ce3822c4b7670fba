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

const of = (shape: readonly number[], value: number | ((index: number) => number)): FloatTensor => ({
  shape,
  data: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, index) =>
    typeof value === 'number' ? value : value(index),
  ),
});
const line = (value: number): FloatTensor => of([1, 1, 1, 4], value);

describe('ChangeEstimator', () => {
  test('estimates the output change from the input change, relative to the magnitude of the output', () => {
    const estimator = new ChangeEstimator();
    expect(estimator.inputChange(line(0))).toBeUndefined();
    estimator.learn(line(0), line(10), undefined);
    const change = estimator.inputChange(line(2));
    expect(change).toBe(2);
    expect(estimator.canReuse(change, 100)).toBe(false);
    // The input changed by 2, the output by 1: a ratio of 0.5. An input change of 4 means 2 of 11.
    estimator.learn(line(2), line(11), change);
    expect(estimator.canReuse(estimator.inputChange(line(6)), 2 / 11 + 0.001)).toBe(true);
    // Relative changes add up until the network runs. Then the sum starts at 0.
    expect(estimator.canReuse(estimator.inputChange(line(6)), 2 / 11 + 0.001)).toBe(false);
    expect(estimator.canReuse(estimator.inputChange(line(6)), 2 / 11 + 0.001)).toBe(true);
    expect(estimator.canReuse(estimator.inputChange(line(2)), 0)).toBe(false);
  });
  test('samples every eighth cell', () => {
    const plane = (corner: number) =>
      of([1, 1, 9, 9], (place) => (place === 8 * 9 + 8 ? corner : place % 9 === 1 ? 99 : 0));
    const estimator = new ChangeEstimator();
    estimator.learn(plane(0), plane(0), undefined);
    expect(estimator.inputChange(plane(4))).toBe(1);
  });
});

/** A linear model: it predicts 0.9 x plus the first value of the prompt. */
function linearModel(
  stepCache?: Partial<StepCacheOptions>,
): DiffusionModel & { timesteps: number[]; log: string[] } {
  const timesteps: number[] = [];
  const log: string[] = [];
  return {
    timesteps,
    log,
    sampling: stableDiffusion,
    latent: { channels: 4, scaleFactor: 1, shiftFactor: 0 },
    guidance: { preCfg: [], postCfg: [] },
    network: {
      async predict(x, timestep, prompts) {
        timesteps.push(timestep);
        return prompts.map(({ tensor }) => ({
          shape: x.shape,
          data: x.data.map((value) => value * 0.9 + tensor.data[0]!),
        }));
      },
    },
    ...(stepCache && {
      stepCache: {
        scope: 'network',
        threshold: 0.2,
        startPercent: 0,
        endPercent: 1,
        log: (message) => log.push(message),
        ...stepCache,
      },
    }),
  };
}

const prompt = (value: number, options = {}): Conditioning => [{ tensor: line(value), options }];
const STEPS = 16;
const sigmas = Float32Array.from({ length: STEPS + 1 }, (_, i) => (14 * (STEPS - i)) / STEPS);

async function run(model: DiffusionModel, sampler = 'euler', positive = prompt(0.1)): Promise<FloatTensor> {
  const { samples } = await sample({
    guider: cfgGuider(model, positive, prompt(-0.1), 3),
    noise: { seed: 1n, generate: () => seededNoise(1n, [1, 4, 16, 16]) },
    sampler: { name: sampler, sampler: SAMPLERS[sampler]!.make() },
    sigmas,
    latent: { samples: of([1, 4, 16, 16], 0) },
    signal: new AbortController().signal,
  });
  return samples;
}
const distance = (a: FloatTensor, b: FloatTensor): number =>
  a.data.reduce((max, value, i) => Math.max(max, Math.abs(value - b.data[i]!)), 0);

describe.each(['network', 'guided'] as const)('a step cache of the scope %s', (scope) => {
  test('runs the network less often and gives nearly the same latent', async () => {
    const [plain, cached] = [linearModel(), linearModel({ scope })];
    const expected = await run(plain);
    const samples = await run(cached);
    expect(plain.timesteps).toHaveLength(STEPS);
    expect(cached.timesteps.length).toBeLessThan(STEPS * 0.8);
    expect(cached.timesteps.length).toBeGreaterThanOrEqual(2);
    expect(distance(samples, expected)).toBeGreaterThan(0);
    expect(distance(samples, expected)).toBeLessThan(0.5);
    expect(cached.log.filter((line) => line.startsWith('runs'))).toHaveLength(cached.timesteps.length);
    expect(cached.log.filter((line) => line.startsWith('skips'))).toHaveLength(
      STEPS - cached.timesteps.length,
    );
  });
  test('skips nothing with a threshold of 0', async () => {
    const cached = linearModel({ scope, threshold: 0 });
    expect(await run(cached)).toEqual(await run(linearModel()));
    expect(cached.timesteps).toHaveLength(STEPS);
  });
  test('is empty at the start of each run', async () => {
    const cached = linearModel({ scope });
    const first = await run(cached);
    const timesteps = cached.timesteps.splice(0);
    expect(await run(cached)).toEqual(first);
    expect(cached.timesteps).toEqual(timesteps);
  });
  test('is used between its start and end only', async () => {
    const cached = linearModel({ scope, threshold: 3, startPercent: 0.4, endPercent: 0.7 });
    await run(cached);
    const levels = [stableDiffusion.sigmaAt(0.4), stableDiffusion.sigmaAt(0.7)] as const;
    const active = sigmas.slice(0, -1).filter((sigma) => sigma <= levels[0] && sigma > levels[1]);
    expect(active.length).toBeGreaterThan(0);
    expect(cached.log).toHaveLength(active.length);
    const outside = sigmas.slice(0, -1).filter((sigma) => sigma > levels[0] || sigma <= levels[1]);
    const times = new Set(cached.timesteps);
    for (const sigma of outside) expect(times.has(stableDiffusion.timestepOf(sigma))).toBe(true);
  });
  test('also caches the prediction without the prompt, which euler_cfg_pp reads', async () => {
    const samples = await run(linearModel({ scope }), 'euler_cfg_pp');
    expect(samples.data.every(Number.isFinite)).toBe(true);
  });
});

test('a skipped step adds the last difference of output and input to the input, for each prompt', async () => {
  const calls: { x: FloatTensor; outputs: FloatTensor[] }[] = [];
  const cached = linearModel({ threshold: 3 });
  const { predict } = cached.network;
  const recording: DiffusionModel = {
    ...cached,
    network: {
      async predict(x, ...rest) {
        const outputs = await predict(x, ...rest);
        calls.push({ x, outputs });
        return outputs;
      },
    },
  };
  const guided = cfgGuider(recording, prompt(0.1), prompt(-0.1), 3).open(
    [1, 4, 16, 16],
    new AbortController().signal,
  );
  const noise = seededNoise(2n, [1, 4, 16, 16]);
  const at = (sigma: number): FloatTensor => ({ shape: noise.shape, data: noise.data.map((v) => v * sigma) });
  await guided.denoise(at(5), 5);
  await guided.denoise(at(4.5), 4.5);
  const skipped = await guided.denoiseBoth(at(4.4), 4.4);
  expect(calls).toHaveLength(2);
  const { x, outputs } = calls[1]!;
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

test('the network runs at the step at which a prompt becomes active', async () => {
  const cached = linearModel({ threshold: 3 });
  const scheduled = [...prompt(0.1), ...prompt(2, { schedule: { startPercent: 0.5 } })];
  const level = stableDiffusion.sigmaAt(0.5);
  await run(cached, 'euler', scheduled);
  const first = sigmas.find((sigma) => sigma <= level)!;
  expect(cached.timesteps).toContain(stableDiffusion.timestepOf(first));
});
