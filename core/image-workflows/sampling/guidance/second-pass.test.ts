/** Guidance that asks the model again with its inside changed, in each of the guiders. */
import { describe, expect, it } from 'vitest';
import { stableDiffusion } from '#test/support/image-workflows/analytic-sampling.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import type { DiffusionModel, StepCacheOptions } from '../../values/diffusion-model.ts';
import type { Guidance, PostCfg } from '../../values/guidance.ts';
import type { GuidedModel, Guider } from '../../values/guider.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { basicGuider, cfgGuider, dualGuider, perpNegGuider } from './guiders.ts';
import { perturbedGuidance } from './perturbed-guidance.ts';

const SHAPE = [1, 1, 1, 4];
const line = (...data: number[]): FloatTensor => ({ shape: SHAPE, data: Float32Array.from(data) });
const prompt = (value: number): Conditioning => [
  { tensor: { shape: [1, 1, 1], data: Float32Array.of(value) }, options: {} },
];
const numbers = ({ data }: FloatTensor) => [...data].map((value) => Number(value.toFixed(4)));
const x = line(1, 2, 3, 4);

interface Asked {
  prompt: number;
  on: string;
}

/** It sees x times its prompt, and a third of that with `key` on. What it gives out is its prompt, at each of the cells. */
function model(
  guidance: Partial<Guidance>,
  reuse?: StepCacheOptions,
): DiffusionModel & { asked: Asked[]; runs: Asked[][] } {
  const runs: Asked[][] = [];
  const asked: Asked[] = [];
  return {
    runs,
    asked,
    sampling: { ...stableDiffusion, input: (_, one) => one, denoised: (_, output) => output },
    latent: { channels: 1, scaleFactor: 1, shiftFactor: 0 },
    guidance: { preCfg: [], postCfg: [], ...guidance },
    network: {
      async predict(given, _timestep, prompts) {
        const run = prompts.map(({ tensor, activePatches: inForce }) => ({
          prompt: Number(tensor.data[0]!.toFixed(3)),
          on: [...(inForce?.switches ?? [])].join(),
        }));
        runs.push(run);
        asked.push(...run);
        for (const { tensor, activePatches: inForce } of prompts) inForce?.onCapture?.({ map: tensor });
        return prompts.map(({ tensor, activePatches: inForce }) => {
          const share = inForce?.switches?.has('key') ? 1 / 3 : 1;
          return { shape: given.shape, data: given.data.map((value) => value * tensor.data[0]! * share) };
        });
      },
    },
    ...(reuse && { stepCache: reuse }),
  };
}

const open = (guider: Guider, signal = new AbortController().signal): GuidedModel =>
  guider.open(SHAPE, signal);
const away = perturbedGuidance('key', { scale: 2 });
/** Of a prompt: 2 (cond - changed), in the same measure. */
const led = (value: number) => 2 * (value - value / 3);

describe('leading away from what a changed network sees of the prompt', () => {
  it('with a negative prompt', async () => {
    const one = model({ postCfg: [away] });
    const { denoised, uncond } = await open(cfgGuider(one, prompt(3), prompt(0.6), 4)).denoiseBoth(x, 5);
    const expected = 0.6 + 4 * (3 - 0.6) + led(3);
    expect(numbers(denoised)).toEqual([1, 2, 3, 4].map((value) => Number((value * expected).toFixed(4))));
    expect(numbers(uncond)).toEqual([0.6, 1.2, 1.8, 2.4]);
    expect(one.asked).toEqual([
      { prompt: 3, on: '' },
      { prompt: 0.6, on: '' },
      { prompt: 3, on: 'key' },
    ]);
  });
  it('with a guidance of 1 the negative prompt is not asked for it', async () => {
    const one = model({ postCfg: [away] });
    expect(numbers(await open(cfgGuider(one, prompt(3), prompt(0.6), 1)).denoise(x, 5))).toEqual([
      7, 14, 21, 28,
    ]);
    expect(one.asked).toEqual([
      { prompt: 3, on: '' },
      { prompt: 3, on: 'key' },
    ]);
    // Something else that looks at it gets it.
    const other: PostCfg = ({ uncond }) => uncond;
    const both = model({ postCfg: [away, other] });
    expect(numbers(await open(cfgGuider(both, prompt(3), prompt(0.5), 1)).denoise(x, 5))).toEqual([
      0.5, 1, 1.5, 2,
    ]);
  });
  it('with the prompt alone', async () => {
    const one = model({ postCfg: [away] });
    expect(numbers(await open(basicGuider(one, prompt(3))).denoise(x, 5))).toEqual([7, 14, 21, 28]);
    expect(one.asked).toHaveLength(2);
  });
  it('with two prompts, apart: of the second one, which is guided', async () => {
    const one = model({ postCfg: [away] });
    const guider = dualGuider(one, [prompt(3), prompt(1.5), prompt(0.5)], { between: 2, negative: 4 }, false);
    const expected = 0.5 + 4 * (1.5 - 0.5) + led(1.5) + 2 * (3 - 1.5);
    expect(numbers(await open(guider).denoise(line(1, 0, 0, 0), 5))[0]).toBeCloseTo(expected, 4);
    expect(one.asked.slice(3)).toEqual([{ prompt: 1.5, on: 'key' }]);
  });
  it('with two prompts, nested: after each of the two steps', async () => {
    const one = model({ postCfg: [away] });
    const guider = dualGuider(one, [prompt(3), prompt(1.5), prompt(0.5)], { between: 2, negative: 4 }, true);
    const first = 1.5 + 2 * (3 - 1.5) + led(3);
    const expected = 0.5 + 4 * (first - 0.5) + 2 * (first - 1);
    expect(numbers(await open(guider).denoise(line(1, 0, 0, 0), 5))[0]).toBeCloseTo(expected, 4);
    expect(one.asked.slice(3)).toEqual([
      { prompt: 3, on: 'key' },
      { prompt: 3, on: 'key' },
    ]);
  });
  it('with a perpendicular negative prompt', async () => {
    const [plain, one] = [model({}), model({ postCfg: [away] })];
    const at = (of: DiffusionModel) =>
      open(perpNegGuider(of, { positive: prompt(3), negative: prompt(2), empty: prompt(0.5) }, 4, 1)).denoise(
        line(1, 0, 0, 0),
        5,
      );
    const [without, with_] = [await at(plain), await at(one)];
    expect(with_.data[0]! - without.data[0]!).toBeCloseTo(led(3), 4);
    // What nodes do beforehand counts, too: 4 x, from where there is nothing.
    const before: Guidance['preCfg'] = [(values) => ({ ...values, cond: values.uncond })];
    expect((await at(model({ preCfg: before }))).data[0]).toBeCloseTo(0.5 + 4 * 1.5, 4);
  });
  it('only between its noise levels', async () => {
    const one = model({
      postCfg: [perturbedGuidance('key', { scale: 2, levels: { highest: 6, lowest: 4 } })],
    });
    const opened = open(basicGuider(one, prompt(3)));
    for (const [sigma, first] of [
      [6.1, 3],
      [6, 7],
      [4, 7],
      [3.9, 3],
    ] as const)
      expect(numbers(await opened.denoise(x, sigma))[0]).toBe(first);
    expect(one.asked).toHaveLength(6);
  });
  it('spread as widely as what is seen of the prompt, as far as it is said', async () => {
    const spread = async (share: number) => {
      const one = model({ postCfg: [perturbedGuidance('key', { scale: 2, rescale: share })] });
      return numbers(await open(cfgGuider(one, prompt(3), prompt(0), 4)).denoise(x, 5))[0];
    };
    // 12 + 4 without; 3 is as wide as the prompt.
    expect(await spread(0)).toBe(16);
    expect(await spread(1)).toBe(3);
    expect(await spread(0.5)).toBeCloseTo(9.5, 4);
  });
});

describe('a change that is on without the prompt', () => {
  const onWithout = (sigma: number) => new Set(sigma > 4 ? ['key'] : []);
  it('as often asked as without it', async () => {
    const one = model({ patchesWithoutPrompt: onWithout });
    const opened = open(cfgGuider(one, prompt(3), prompt(0.6), 4));
    const expected = 0.2 + 4 * (3 - 0.2);
    expect(numbers(await opened.denoise(line(1, 0, 0, 0), 5))[0]).toBeCloseTo(expected, 4);
    expect(one.asked).toEqual([
      { prompt: 3, on: '' },
      { prompt: 0.6, on: 'key' },
    ]);
    expect(numbers(await opened.denoise(line(1, 0, 0, 0), 3))[0]).toBeCloseTo(0.6 + 4 * 2.4, 4);
  });
  it('with a guidance of 1 nothing', async () => {
    const one = model({ patchesWithoutPrompt: onWithout });
    expect(numbers(await open(cfgGuider(one, prompt(3), prompt(0.6), 1)).denoise(x, 5))).toEqual([
      3, 6, 9, 12,
    ]);
    expect(one.asked).toEqual([{ prompt: 3, on: '' }]);
  });
});

describe('what changes take out of the network', () => {
  const maps: (number | undefined)[] = [];
  const after: Guidance['postCfg'] = [
    ({ denoised, captured: taken }) => {
      maps.push(taken?.[0]?.map?.data[0]);
      return denoised;
    },
  ];
  it.each([
    ['of a negative prompt', [2], (one: DiffusionModel) => cfgGuider(one, prompt(3), prompt(2), 4)],
    ['also at a guidance of 1', [2], (one: DiffusionModel) => cfgGuider(one, prompt(3), prompt(2), 1)],
    ['of the prompt alone', [3], (one: DiffusionModel) => basicGuider(one, prompt(3))],
    [
      'of one that is perpendicular',
      [2],
      (one: DiffusionModel) =>
        perpNegGuider(one, { positive: prompt(3), negative: prompt(2), empty: prompt(1) }, 4, 1),
    ],
    [
      'of both that are led away from',
      [2, 1],
      (one: DiffusionModel) =>
        dualGuider(one, [prompt(3), prompt(2), prompt(1)], { between: 1, negative: 1 }, true),
    ],
  ] as const)('%s', async (_, expected, guider) => {
    maps.length = 0;
    await open(guider(model({ postCfg: after, capturesActivations: true }))).denoise(x, 5);
    expect(maps).toEqual(expected);
  });
  it('nothing unless it is wanted', async () => {
    maps.length = 0;
    await open(cfgGuider(model({ postCfg: after }), prompt(3), prompt(2), 4)).denoise(x, 5);
    expect(maps).toEqual([undefined]);
  });
});

describe('asking again ends with the signal', () => {
  it('while the network is at it', { timeout: 5000 }, async () => {
    const one = model({ postCfg: [away] });
    const control = new AbortController();
    const plain = one.network.predict;
    const network: DiffusionModel['network'] = {
      predict: async (given, timestep, prompts, signal) => {
        const isOn = prompts.some(({ activePatches: inForce }) => inForce?.switches?.has('key'));
        if (!isOn) return plain(given, timestep, prompts, signal);
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          control.abort(new Error('stopped by a test'));
        });
      },
    };
    const guider = cfgGuider({ ...one, network }, prompt(3), prompt(0.6), 4);
    await expect(open(guider, control.signal).denoise(x, 5)).rejects.toThrow('stopped by a test');
  });
  it('before it begins', async () => {
    const control = new AbortController();
    const stopping: PostCfg = ({ denoised }) => {
      control.abort(new Error('stopped by a test'));
      return denoised;
    };
    const one = model({ postCfg: [stopping, away] });
    const opened = open(cfgGuider(one, prompt(3), prompt(0.6), 4), control.signal);
    await expect(opened.denoise(x, 5)).rejects.toThrow('stopped by a test');
    expect(one.runs).toHaveLength(1);
  });
});

describe('beside answers that are taken again', () => {
  const reuse: StepCacheOptions = { scope: 'network', threshold: 3, startPercent: 0, endPercent: 1 };
  it('the changed network is asked at every step, and is not taken for the other', async () => {
    const one = model({ postCfg: [away] }, reuse);
    const opened = open(cfgGuider(one, prompt(3), prompt(0.6), 4));
    await opened.denoise(x, 5);
    await opened.denoise(line(1.5, 2, 3, 4), 4.9);
    one.asked.length = 0;
    const moved = line(1.6, 2, 3, 4);
    const { denoised, uncond } = await opened.denoiseBoth(moved, 4.8);
    expect(one.asked).toEqual([{ prompt: 3, on: 'key' }]);
    // What was added at the step before is added again: x times (prompt - 1).
    const again = (value: number) => [1.5, 2, 3, 4].map((at, i) => moved.data[i]! + at * (value - 1));
    const [cond, other] = [again(3), again(0.6)];
    for (let i = 0; i < 4; i++) {
      expect(uncond.data[i]).toBeCloseTo(other[i]!, 4);
      const guided = other[i]! + 4 * (cond[i]! - other[i]!);
      expect(denoised.data[i]).toBeCloseTo(guided + 2 * (cond[i]! - moved.data[i]!), 4);
    }
  });
  it('what is taken out of the network is of each step', async () => {
    const one = model({ capturesActivations: true }, reuse);
    const opened = open(cfgGuider(one, prompt(3), prompt(0.6), 4));
    for (const sigma of [5, 4.9, 4.8]) await opened.denoise(x, sigma);
    expect(one.runs).toHaveLength(3);
  });
});
