/** Guidance with a second pass of the patched network, for each guider. */
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

/** One evaluation of the network: the prompt's value and the active patches. */
interface Evaluation {
  prompt: number;
  patches: string;
}

/** The network predicts x times the prompt's value, and a third of that with the patch `key`. It captures the prompt. */
function createModel(
  guidance: Partial<Guidance>,
  stepCache?: StepCacheOptions,
): DiffusionModel & { evaluations: Evaluation[]; runs: Evaluation[][] } {
  const runs: Evaluation[][] = [];
  const evaluations: Evaluation[] = [];
  return {
    runs,
    evaluations,
    sampling: { ...stableDiffusion, input: (_, latent) => latent, denoised: (_, output) => output },
    latent: { channels: 1, scaleFactor: 1, shiftFactor: 0 },
    guidance: { preCfg: [], postCfg: [], ...guidance },
    network: {
      async predict(input, _timestep, prompts) {
        const run = prompts.map(({ tensor, activePatches }) => ({
          prompt: Number(tensor.data[0]!.toFixed(3)),
          patches: [...(activePatches?.switches ?? [])].join(),
        }));
        runs.push(run);
        evaluations.push(...run);
        for (const { tensor, activePatches } of prompts) activePatches?.onCapture?.({ map: tensor });
        return prompts.map(({ tensor, activePatches }) => {
          const share = activePatches?.switches?.has('key') ? 1 / 3 : 1;
          return { shape: input.shape, data: input.data.map((value) => value * tensor.data[0]! * share) };
        });
      },
    },
    ...(stepCache && { stepCache }),
  };
}

const open = (guider: Guider, signal = new AbortController().signal): GuidedModel =>
  guider.open(SHAPE, signal);
const perturbed = perturbedGuidance('key', { scale: 2 });
/** The change by perturbed guidance with the scale 2, in units of x: 2 (cond - patched cond). */
const perturbation = (value: number) => 2 * (value - value / 3);

describe('perturbed guidance', () => {
  it('with a negative prompt', async () => {
    const model = createModel({ postCfg: [perturbed] });
    const { denoised, uncond } = await open(cfgGuider(model, prompt(3), prompt(0.6), 4)).denoiseBoth(x, 5);
    const expected = 0.6 + 4 * (3 - 0.6) + perturbation(3);
    expect(numbers(denoised)).toEqual([1, 2, 3, 4].map((value) => Number((value * expected).toFixed(4))));
    expect(numbers(uncond)).toEqual([0.6, 1.2, 1.8, 2.4]);
    expect(model.evaluations).toEqual([
      { prompt: 3, patches: '' },
      { prompt: 0.6, patches: '' },
      { prompt: 3, patches: 'key' },
    ]);
  });
  it('at a scale of 1 runs without the negative prompt, unless other guidance reads it', async () => {
    const model = createModel({ postCfg: [perturbed] });
    expect(numbers(await open(cfgGuider(model, prompt(3), prompt(0.6), 1)).denoise(x, 5))).toEqual([
      7, 14, 21, 28,
    ]);
    expect(model.evaluations).toEqual([
      { prompt: 3, patches: '' },
      { prompt: 3, patches: 'key' },
    ]);
    const other: PostCfg = ({ uncond }) => uncond;
    const both = createModel({ postCfg: [perturbed, other] });
    expect(numbers(await open(cfgGuider(both, prompt(3), prompt(0.5), 1)).denoise(x, 5))).toEqual([
      0.5, 1, 1.5, 2,
    ]);
  });
  it('works without a negative prompt', async () => {
    const model = createModel({ postCfg: [perturbed] });
    expect(numbers(await open(basicGuider(model, prompt(3))).denoise(x, 5))).toEqual([7, 14, 21, 28]);
    expect(model.evaluations).toHaveLength(2);
  });
  it('applies to the second of two prompts that are guided separately', async () => {
    const model = createModel({ postCfg: [perturbed] });
    const guider = dualGuider(
      model,
      [prompt(3), prompt(1.5), prompt(0.5)],
      { between: 2, negative: 4 },
      false,
    );
    const expected = 0.5 + 4 * (1.5 - 0.5) + perturbation(1.5) + 2 * (3 - 1.5);
    expect(numbers(await open(guider).denoise(line(1, 0, 0, 0), 5))[0]).toBeCloseTo(expected, 4);
    expect(model.evaluations.slice(3)).toEqual([{ prompt: 1.5, patches: 'key' }]);
  });
  it('applies twice to two prompts that are guided one after the other', async () => {
    const model = createModel({ postCfg: [perturbed] });
    const guider = dualGuider(
      model,
      [prompt(3), prompt(1.5), prompt(0.5)],
      { between: 2, negative: 4 },
      true,
    );
    const first = 1.5 + 2 * (3 - 1.5) + perturbation(3);
    const expected = 0.5 + 4 * (first - 0.5) + 2 * (first - 1);
    expect(numbers(await open(guider).denoise(line(1, 0, 0, 0), 5))[0]).toBeCloseTo(expected, 4);
    expect(model.evaluations.slice(3)).toEqual([
      { prompt: 3, patches: 'key' },
      { prompt: 3, patches: 'key' },
    ]);
  });
  it('works with a perpendicular negative prompt', async () => {
    const [plain, guided] = [createModel({}), createModel({ postCfg: [perturbed] })];
    const run = (model: DiffusionModel) =>
      open(
        perpNegGuider(model, { positive: prompt(3), negative: prompt(2), empty: prompt(0.5) }, 4, 1),
      ).denoise(line(1, 0, 0, 0), 5);
    const [expected, result] = [await run(plain), await run(guided)];
    expect(result.data[0]! - expected.data[0]!).toBeCloseTo(perturbation(3), 4);
    // Functions in preCfg apply as well. Here they leave the prediction of the empty prompt and 1.5 times the scale.
    const before: Guidance['preCfg'] = [(values) => ({ ...values, cond: values.uncond })];
    expect((await run(createModel({ preCfg: before }))).data[0]).toBeCloseTo(0.5 + 4 * 1.5, 4);
  });
  it('applies between its noise levels only', async () => {
    const model = createModel({
      postCfg: [perturbedGuidance('key', { scale: 2, levels: { highest: 6, lowest: 4 } })],
    });
    const guided = open(basicGuider(model, prompt(3)));
    for (const [sigma, first] of [
      [6.1, 3],
      [6, 7],
      [4, 7],
      [3.9, 3],
    ] as const)
      expect(numbers(await guided.denoise(x, sigma))[0]).toBe(first);
    expect(model.evaluations).toHaveLength(6);
  });
  it('rescales to the standard deviation of the prediction with the prompt', async () => {
    const first = async (rescale: number) => {
      const model = createModel({ postCfg: [perturbedGuidance('key', { scale: 2, rescale })] });
      return numbers(await open(cfgGuider(model, prompt(3), prompt(0), 4)).denoise(x, 5))[0];
    };
    // Without rescaling it is 12 + 4. The standard deviation of 3 x is that with the prompt.
    expect(await first(0)).toBe(16);
    expect(await first(1)).toBe(3);
    expect(await first(0.5)).toBeCloseTo(9.5, 4);
  });
});

describe('a patch of the evaluations without the prompt', () => {
  const patchesWithoutPrompt = (sigma: number) => new Set(sigma > 4 ? ['key'] : []);
  it('needs no further evaluation', async () => {
    const model = createModel({ patchesWithoutPrompt });
    const guided = open(cfgGuider(model, prompt(3), prompt(0.6), 4));
    const expected = 0.2 + 4 * (3 - 0.2);
    expect(numbers(await guided.denoise(line(1, 0, 0, 0), 5))[0]).toBeCloseTo(expected, 4);
    expect(model.evaluations).toEqual([
      { prompt: 3, patches: '' },
      { prompt: 0.6, patches: 'key' },
    ]);
    expect(numbers(await guided.denoise(line(1, 0, 0, 0), 3))[0]).toBeCloseTo(0.6 + 4 * 2.4, 4);
  });
  it('has no effect at a scale of 1', async () => {
    const model = createModel({ patchesWithoutPrompt });
    expect(numbers(await open(cfgGuider(model, prompt(3), prompt(0.6), 1)).denoise(x, 5))).toEqual([
      3, 6, 9, 12,
    ]);
    expect(model.evaluations).toEqual([{ prompt: 3, patches: '' }]);
  });
});

describe('captured activations', () => {
  const maps: (number | undefined)[] = [];
  const readMap: Guidance['postCfg'] = [
    ({ denoised, captured }) => {
      maps.push(captured?.[0]?.map?.data[0]);
      return denoised;
    },
  ];
  it.each([
    [
      'come from the negative prompt',
      [2],
      (model: DiffusionModel) => cfgGuider(model, prompt(3), prompt(2), 4),
    ],
    [
      'come from the negative prompt at a scale of 1',
      [2],
      (model: DiffusionModel) => cfgGuider(model, prompt(3), prompt(2), 1),
    ],
    ['come from the only prompt', [3], (model: DiffusionModel) => basicGuider(model, prompt(3))],
    [
      'come from a perpendicular negative prompt',
      [2],
      (model: DiffusionModel) =>
        perpNegGuider(model, { positive: prompt(3), negative: prompt(2), empty: prompt(1) }, 4, 1),
    ],
    [
      'come from both negative sides of two prompts',
      [2, 1],
      (model: DiffusionModel) =>
        dualGuider(model, [prompt(3), prompt(2), prompt(1)], { between: 1, negative: 1 }, true),
    ],
  ] as const)('%s', async (_, expected, guider) => {
    maps.length = 0;
    await open(guider(createModel({ postCfg: readMap, capturesActivations: true }))).denoise(x, 5);
    expect(maps).toEqual(expected);
  });
  it('are missing unless the guidance asks for them', async () => {
    maps.length = 0;
    await open(cfgGuider(createModel({ postCfg: readMap }), prompt(3), prompt(2), 4)).denoise(x, 5);
    expect(maps).toEqual([undefined]);
  });
});

describe('cancelling the second pass', () => {
  it('works while the network runs', { timeout: 5000 }, async () => {
    const model = createModel({ postCfg: [perturbed] });
    const abort = new AbortController();
    const plain = model.network.predict;
    const network: DiffusionModel['network'] = {
      predict: async (input, timestep, prompts, signal) => {
        const isPatched = prompts.some(({ activePatches }) => activePatches?.switches?.has('key'));
        if (!isPatched) return plain(input, timestep, prompts, signal);
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          abort.abort(new Error('stopped by a test'));
        });
      },
    };
    const guider = cfgGuider({ ...model, network }, prompt(3), prompt(0.6), 4);
    await expect(open(guider, abort.signal).denoise(x, 5)).rejects.toThrow('stopped by a test');
  });
  it('works before the network runs', async () => {
    const abort = new AbortController();
    const stopping: PostCfg = ({ denoised }) => {
      abort.abort(new Error('stopped by a test'));
      return denoised;
    };
    const model = createModel({ postCfg: [stopping, perturbed] });
    const guided = open(cfgGuider(model, prompt(3), prompt(0.6), 4), abort.signal);
    await expect(guided.denoise(x, 5)).rejects.toThrow('stopped by a test');
    expect(model.runs).toHaveLength(1);
  });
});

describe('with a step cache', () => {
  const stepCache: StepCacheOptions = { scope: 'network', threshold: 3, startPercent: 0, endPercent: 1 };
  it('the patched network runs at every step and is not cached', async () => {
    const model = createModel({ postCfg: [perturbed] }, stepCache);
    const guided = open(cfgGuider(model, prompt(3), prompt(0.6), 4));
    await guided.denoise(x, 5);
    await guided.denoise(line(1.5, 2, 3, 4), 4.9);
    model.evaluations.length = 0;
    const next = line(1.6, 2, 3, 4);
    const { denoised, uncond } = await guided.denoiseBoth(next, 4.8);
    expect(model.evaluations).toEqual([{ prompt: 3, patches: 'key' }]);
    // A skipped step adds the last difference of output and input, x (prompt - 1), to the input.
    const cachedPrediction = (value: number) =>
      [1.5, 2, 3, 4].map((lastX, i) => next.data[i]! + lastX * (value - 1));
    const [expectedCond, expectedUncond] = [cachedPrediction(3), cachedPrediction(0.6)];
    for (let i = 0; i < 4; i++) {
      expect(uncond.data[i]).toBeCloseTo(expectedUncond[i]!, 4);
      const cfg = expectedUncond[i]! + 4 * (expectedCond[i]! - expectedUncond[i]!);
      expect(denoised.data[i]).toBeCloseTo(cfg + 2 * (expectedCond[i]! - next.data[i]!), 4);
    }
  });
  it('activations are captured at every step', async () => {
    const model = createModel({ capturesActivations: true }, stepCache);
    const guided = open(cfgGuider(model, prompt(3), prompt(0.6), 4));
    for (const sigma of [5, 4.9, 4.8]) await guided.denoise(x, sigma);
    expect(model.runs).toHaveLength(3);
  });
});
