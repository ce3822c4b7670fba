import { expect, test } from 'vitest';
import { stableDiffusion } from '#test/support/image-workflows/analytic-sampling.ts';
import { basicGuider } from '../../sampling/guidance/guiders.ts';
import type { ClipModel } from '../../values/clip-model.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import type { ControlNet } from '../../values/control-net.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import { nodeTypes } from '../index.ts';
import type { NodeContext } from '../kernel/node-context.ts';

const signal = new AbortController().signal;
const run = async (name: string, values: Record<string, unknown>) =>
  (await nodeTypes.find((type) => type.name === name)!.run(values, { signal } as NodeContext)) as unknown[];

const prompt = (value: number): Conditioning => [{ tensor: full([1, 1, 1], value), options: {} }];

/** A control net whose residuals are the prompt's number. The network below predicts the residuals. */
const net: ControlNet = {
  residuals: async (x, _time, prompts) =>
    prompts.map(({ tensor }) => [{ shape: x.shape, data: x.data.map(() => tensor.data[0]!) }]),
  ofType: () => net,
};
const model = {
  sampling: { ...stableDiffusion, denoised: (_sigma: number, answer: FloatTensor) => answer },
  guidance: { preCfg: [], postCfg: [] },
  network: {
    predict: async (x: FloatTensor, _time: number, prompts: { control?: FloatTensor[] }[]) =>
      prompts.map(({ control }) => control?.[0] ?? full(x.shape, 0)),
  },
} as unknown as DiffusionModel;
const prediction = async (conditioning: Conditioning, sigma = 1) =>
  (
    await basicGuider(model, conditioning)
      .open([1, 1, 1, 1], signal)
      .denoise(full([1, 1, 1, 1], 1), sigma)
  ).data[0];

const clip = {
  encode: async (text: string) => ({ tensor: full([1, 1, 1], text.length) }),
} as unknown as ClipModel;

const settings = {
  positive: prompt(3),
  negative: prompt(4),
  control_net: net,
  image: zeros([1, 8, 8, 3]),
  vae: {},
  strength: 0.5,
  start_percent: 0,
  end_percent: 1,
};

test.each(['ControlNetApplyAdvanced', 'ControlNetApplySD3'])(
  '%s sets a control net for both prompts, in a range of the sampling',
  async (name) => {
    const [positive, negative] = (await run(name, settings)) as [Conditioning, Conditioning];
    expect(await prediction(positive)).toBe(1.5);
    expect(await prediction(negative)).toBe(2);
    const [late] = (await run(name, { ...settings, start_percent: 0.9 })) as [Conditioning];
    expect(await prediction(late, 10)).toBe(0);
    expect(await run(name, { ...settings, strength: 0 })).toEqual([settings.positive, settings.negative]);
  },
);

test('CLIPTextEncodeControlnet gives control nets a text of their own', async () => {
  const [own] = (await run('CLIPTextEncodeControlnet', {
    clip,
    conditioning: prompt(3),
    text: 'seven..',
  })) as [Conditioning];
  expect(own[0]!.tensor.data[0]).toBe(3);
  const [controlled] = (await run('ControlNetApplySD3', { ...settings, positive: own })) as [Conditioning];
  expect(await prediction(controlled)).toBe(3.5);
});
