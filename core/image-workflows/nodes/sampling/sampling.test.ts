import { describe, expect, test } from 'vitest';
import { stableDiffusion } from '#test/support/image-workflows/analytic-sampling.ts';
import { seededNoise } from '../../sampling/initial-noise.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { Latent } from '../../values/latent.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import { nodeTypes } from '../index.ts';
import type { NodeContext } from '../kernel/node-context.ts';

/** A model that predicts noise: x scaled and shifted by the prompt's first number. Records its runs. */
function model(): DiffusionModel & { runs: string[] } {
  const runs: string[] = [];
  return {
    runs,
    sampling: stableDiffusion,
    latent: { channels: 4, scaleFactor: 0.5, shiftFactor: 0 },
    guidance: { preCfg: [], postCfg: [] },
    network: {
      async predict(x, _timestep, conditioning, signal) {
        signal.throwIfAborted();
        runs.push(`${x.shape.join('x')}: ${conditioning.map(({ tensor }) => tensor.data[0]).join()}`);
        return conditioning.map(({ tensor }) => ({
          shape: x.shape,
          data: x.data.map((value) => value * (0.5 + 0.2 * tensor.data[0]!) + tensor.data[0]!),
        }));
      },
    },
  };
}
const prompt = (value: number, options = {}): Conditioning => [
  { tensor: { shape: [1, 1, 1], data: Float32Array.of(value) }, options },
];
const empty = (side = 4): Latent => ({ samples: zeros([1, 4, side, side]) });

function context(signal = new AbortController().signal, progress: [number, number][] = []): NodeContext {
  return {
    signal,
    progress: async (value: number, max: number) => {
      progress.push([value, max]);
    },
  } as unknown as NodeContext;
}

async function run(name: string, values: Record<string, unknown>, at = context()): Promise<Latent[]> {
  const type = nodeTypes.find((node) => node.name === name)!;
  return (await type.run(values, at)) as unknown as Latent[];
}
const settings = (overrides: object) => ({
  model: model(),
  seed: 5n,
  noise_seed: 5n,
  steps: 4,
  cfg: 2,
  sampler_name: 'euler',
  scheduler: 'normal',
  positive: prompt(0.1),
  negative: prompt(0),
  latent_image: empty(),
  denoise: 1,
  add_noise: 'enable',
  start_at_step: 0,
  end_at_step: 10000,
  return_with_leftover_noise: 'disable',
  ...overrides,
});

describe('KSampler', () => {
  test('reports each step, and depends on the seed alone', async () => {
    const progress: [number, number][] = [];
    const [first] = await run('KSampler', settings({}), context(undefined, progress));
    expect(progress).toEqual([
      [1, 4],
      [2, 4],
      [3, 4],
      [4, 4],
    ]);
    expect(await run('KSampler', settings({}))).toEqual([first]);
    expect(await run('KSampler', settings({ seed: 6n }))).not.toEqual([first]);
  });
  test('does not run the negative prompt at a scale of 1', async () => {
    const base = model();
    await run('KSampler', settings({ model: base, cfg: 1 }));
    expect(base.runs).toEqual(new Array(4).fill('1x4x4x4: 0.10000000149011612'));
    const guided = model();
    await run('KSampler', settings({ model: guided, cfg: 2 }));
    expect(guided.runs).toEqual(new Array(4).fill('1x4x4x4: 0.10000000149011612,0'));
  });
  test('outputs the latent unchanged for a denoise of 0', async () => {
    const latent = { samples: seededNoise(1n, [1, 4, 4, 4]) };
    expect(await run('KSampler', settings({ denoise: 0, latent_image: latent }))).toEqual([latent]);
  });
  test('keeps the part outside of the noise mask', async () => {
    const samples = seededNoise(1n, [1, 4, 4, 4]);
    const noiseMask = {
      shape: [1, 1, 4, 4],
      data: Float32Array.from({ length: 16 }, (_, i) => (i < 8 ? 1 : 0)),
    };
    for (const sampler_name of ['euler', 'ddim', 'dpmpp_2m_sde', 'uni_pc']) {
      const [result] = await run(
        'KSampler',
        settings({ sampler_name, latent_image: { samples, noiseMask } }),
      );
      expect(result!.samples.data[0]).not.toBeCloseTo(samples.data[0]!, 2);
      for (let i = 8; i < 16; i++) expect(result!.samples.data[i]).toBeCloseTo(samples.data[i]!, 2);
      expect(result!.noiseMask).toBe(noiseMask);
    }
  });
  test('adapts the channels of an empty latent, and refuses a latent of another model', async () => {
    const [result] = await run('KSampler', settings({ latent_image: { samples: zeros([1, 16, 4, 4]) } }));
    expect(result!.samples.shape).toEqual([1, 4, 4, 4]);
    const other = { samples: full([1, 16, 4, 4], 1) };
    await expect(run('KSampler', settings({ latent_image: other }))).rejects.toThrow('4 channels');
  });
  test('stops at the next step after an interrupt', async () => {
    const controller = new AbortController();
    const base = model();
    const at = {
      ...context(controller.signal),
      progress: async () => controller.abort(new Error('interrupted')),
    };
    await expect(run('KSampler', settings({ model: base, steps: 50 }), at as NodeContext)).rejects.toThrow(
      'interrupted',
    );
    expect(base.runs).toHaveLength(1);
  });
});

test('two KSamplerAdvanced with half of the steps equal one with all steps', async () => {
  const [complete] = await run('KSamplerAdvanced', settings({ steps: 6 }));
  const [half] = await run(
    'KSamplerAdvanced',
    settings({ steps: 6, end_at_step: 3, return_with_leftover_noise: 'enable' }),
  );
  const [rest] = await run(
    'KSamplerAdvanced',
    settings({ steps: 6, start_at_step: 3, add_noise: 'disable', latent_image: half }),
  );
  expect(near(rest!.samples, complete!.samples)).toBe(true);
  expect(await run('KSamplerAdvanced', settings({ start_at_step: 9, latent_image: half }))).toEqual([half]);
});

test('SamplerCustomAdvanced equals KSampler', async () => {
  const [levels] = await run('BasicScheduler', { model: model(), scheduler: 'karras', steps: 5, denoise: 1 });
  const [sampler] = await run('KSamplerSelect', { sampler_name: 'dpmpp_2m' });
  const [noise] = await run('RandomNoise', { noise_seed: 5n });
  const { positive, negative } = settings({});
  const [guider] = await run('CFGGuider', { model: model(), positive, negative, cfg: 2 });
  const [result, denoised] = await run('SamplerCustomAdvanced', {
    noise,
    guider,
    sampler,
    sigmas: levels,
    latent_image: empty(),
  });
  const [same] = await run('KSampler', settings({ steps: 5, scheduler: 'karras', sampler_name: 'dpmpp_2m' }));
  expect(near(result!.samples, same!.samples)).toBe(true);
  expect(near(denoised!.samples, result!.samples)).toBe(true);
});

describe('prompts with limits', () => {
  test('of an area run on that area alone', async () => {
    const area = { unit: 'latent', height: 4, width: 2, y: 0, x: 2 } as const;
    const base = model();
    const positive = [...prompt(0), ...prompt(1, { region: { area, strength: 1 } })];
    const [result] = await run('KSampler', settings({ model: base, cfg: 1, positive, steps: 1 }));
    expect(base.runs).toEqual(['1x4x4x4: 0', '1x4x4x2: 1']);
    const [plain] = await run('KSampler', settings({ cfg: 1, positive: prompt(0), steps: 1 }));
    const moved = result!.samples.data.map((value, i) => Math.abs(value - plain!.samples.data[i]!));
    expect([...moved.slice(0, 2)]).toEqual([0, 0]);
    expect(moved[3]).toBeGreaterThan(0.1);
  });
  test('run together with negative prompts of the same area', async () => {
    const area = { unit: 'fraction', height: 1, width: 0.5, y: 0, x: 0 } as const;
    const base = model();
    const positive = [...prompt(0.5), ...prompt(1, { region: { area } })];
    await run('KSampler', settings({ model: base, positive, negative: prompt(0), steps: 1 }));
    expect(base.runs).toEqual(['1x4x4x4: 0.5,0', '1x4x4x2: 1,0']);
  });
  test('of a sampling range run in that range', async () => {
    const base = model();
    const positive = [
      ...prompt(0.5, { schedule: { startPercent: 0, endPercent: 0.5 } }),
      ...prompt(1, { schedule: { startPercent: 0.5, endPercent: 1 } }),
    ];
    await run('KSampler', settings({ model: base, cfg: 1, positive, scheduler: 'simple' }));
    expect(base.runs.map((line) => line.split(': ')[1])).toEqual(['0.5', '0.5', '1', '1']);
  });
});

test.each([
  ['RescaleCFG', { multiplier: 0.7 }],
  ['CFGNorm', { strength: 1 }],
  ['CFGZeroStar', {}],
  ['TCFG', {}],
  ['APG', { eta: 0.5, norm_threshold: 1, momentum: -0.5 }],
  ['Epsilon Scaling', { scaling_factor: 1.1 }],
  ['ModelSamplingDiscrete', { sampling: 'v_prediction', zsnr: true }],
  ['ModelSamplingContinuousEDM', { sampling: 'edm', sigma_max: 80, sigma_min: 0.01 }],
  ['ModelSamplingSD3', { shift: 3 }],
])('%s changes the result, and does not modify the model', async (name, inputs) => {
  const base = model();
  const [changed] = await run(name, { model: base, ...inputs });
  const negative = prompt(-0.3);
  const [plain] = await run('KSampler', settings({ model: base, cfg: 4, negative }));
  const [other] = await run('KSampler', settings({ model: changed, cfg: 4, negative }));
  expect(near(plain!.samples, other!.samples)).toBe(false);
  expect([...other!.samples.data].every(Number.isFinite)).toBe(true);
  expect(await run('KSampler', settings({ cfg: 4, negative }))).toEqual([plain]);
});

function near(a: FloatTensor, b: FloatTensor): boolean {
  return a.data.every((value, i) => Math.abs(value - b.data[i]!) < 1e-4);
}

test('PerpNeg equals PerpNegGuider', async () => {
  const base = model();
  const more = { empty_conditioning: prompt(0.3), neg_scale: 2 };
  const [patched] = await run('PerpNeg', { model: base, ...more });
  const [onModel] = await run('KSampler', settings({ model: patched }));
  const prompts = { model: base, positive: prompt(0.1), negative: prompt(0), cfg: 2 };
  const [guider] = await run('PerpNegGuider', { ...prompts, ...more });
  const [noise] = await run('RandomNoise', { noise_seed: 5n });
  const [sampler] = await run('KSamplerSelect', { sampler_name: 'euler' });
  const [sigmas] = await run('BasicScheduler', { model: base, scheduler: 'normal', steps: 4, denoise: 1 });
  const parts = { noise, guider, sampler, sigmas, latent_image: empty() };
  const [byGuider] = await run('SamplerCustomAdvanced', parts);
  expect(onModel!.samples).toEqual(byGuider!.samples);
  expect(onModel!.samples).not.toEqual((await run('KSampler', settings({})))[0]!.samples);
});
