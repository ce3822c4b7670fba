/** Where the UNet's middle looks, and guidance by that, held against torch (test/diffusers/scripts/sag.py). */

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import type { TestHost } from '#test/support/host/test-host.ts';
import { writeExported } from '#test/support/model-files/exported-model.ts';
import { type Numbers, tensor, worst } from '#test/support/model-files/exported-numbers.ts';
import type { NodeContext } from '../../nodes/kernel/node-context.ts';
import { selfAttentionGuidanceNode } from '../../nodes/sampling/self-attention-guidance.ts';
import { basicGuider, cfgGuider } from '../../sampling/guidance/guiders.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { loadNetwork } from '../checkpoints/standalone-parts.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { ATTENTION_MAP, attentionMap } from './attention-map.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
let host: TestHost;
let remove: () => Promise<void>;
let told: Record<'x' | 'text' | 'other' | 'map' | 'plain' | 'guided', Numbers> &
  Record<'sigma' | 'timestep' | 'cfg' | 'scale' | 'blur', number>;

const prompt = (numbers: Numbers): Conditioning => [{ tensor: tensor(numbers), options: {} }];

beforeAll(async () => {
  ({ host, remove } = await onnxHost('here'));
  for (const name of ['unet', 'sd3'])
    await writeExported(host.files, name, `models/diffusion_models/${name}`);
  told = JSON.parse(await readFile(new URL('../../../../test/diffusers/sag.json', import.meta.url), 'utf8'));
});
afterAll(async () => {
  await graphsOf(host).unload();
  await remove();
});

async function guided(name = 'unet'): Promise<DiffusionModel> {
  const context = { host, signal: never } as unknown as NodeContext;
  const values = { model: await loadNetwork(host, name), scale: told.scale, blur_sigma: told.blur };
  const [model] = (await selfAttentionGuidanceNode.run(values, context)) as DiffusionModel[];
  return model!;
}

test('how much each place is looked at comes out beside the answer', SLOW, async () => {
  const { network, sampling } = await loadNetwork(host, 'unet');
  const changed = await network.withPatch!(attentionMap, never);
  const taken: Readonly<Record<string, FloatTensor>>[] = [];
  const input = sampling.input(told.sigma, tensor(told.x));
  const asked = {
    ...prompt(told.other)[0]!,
    activePatches: { onCapture: (one: (typeof taken)[0]) => taken.push(one) },
  };
  const [answer] = await changed.predict(input, told.timestep, [asked], never);
  expect(taken).toHaveLength(1);
  expect(taken[0]![ATTENTION_MAP]!.shape).toEqual(told.map.shape);
  expect(worst(taken[0]![ATTENTION_MAP], told.map)).toBeLessThan(1e-5);
  // Two prompts at once: of each its own, and the answer as ever.
  const [, second] = await changed.predict(input, told.timestep, [{ ...asked }, asked], never);
  expect(taken[1]![ATTENTION_MAP]!.shape).toEqual([4, told.map.shape[1]]);
  expect(second!.data).toEqual(answer!.data);
});

test('guidance by it', SLOW, async () => {
  const model = await guided();
  const guider = cfgGuider(model, prompt(told.text), prompt(told.other), told.cfg);
  const x = tensor(told.x);
  const denoised = await guider.open(x.shape, never).denoise(x, told.sigma);
  expect(worst(denoised, told.guided)).toBeLessThan(2e-5);
  expect(worst(denoised, told.plain)).toBeGreaterThan(1e-2);
});

test(
  'with a guidance of 1 the negative prompt is asked for it, and the prompt alone stands for it',
  SLOW,
  async () => {
    const model = await guided();
    const x = tensor(told.x);
    const at = (guider: ReturnType<typeof basicGuider>) => guider.open(x.shape, never).denoise(x, told.sigma);
    const one = await at(cfgGuider(model, prompt(told.text), prompt(told.other), 1));
    const plain = await at(
      cfgGuider(await loadNetwork(host, 'unet'), prompt(told.text), prompt(told.other), 1),
    );
    const added = told.guided.data.map((value, i) => value - told.plain.data[i]!);
    for (const [i, value] of added.entries()) expect(one.data[i]! - plain.data[i]!).toBeCloseTo(value, 4);
    const alone = await at(basicGuider(model, prompt(told.other)));
    const seen = await at(basicGuider(await loadNetwork(host, 'unet'), prompt(told.other)));
    for (const [i, value] of added.entries()) expect(alone.data[i]! - seen.data[i]!).toBeCloseTo(value, 4);
  },
);

test('a latent that is too small to be blurred is left as it is', SLOW, async () => {
  const x: FloatTensor = { shape: [1, 4, 4, 6], data: tensor(told.x).data.slice(0, 96) };
  const at = (model: DiffusionModel) =>
    cfgGuider(model, prompt(told.text), prompt(told.other), told.cfg)
      .open(x.shape, never)
      .denoise(x, told.sigma);
  const [as, plain] = [await at(await guided()), await at(await loadNetwork(host, 'unet'))];
  expect(worst(as, { shape: [], data: [...plain.data] })).toBeLessThan(1e-5);
});

test('a transformer has no such middle, and says so', SLOW, async () => {
  await expect(guided('sd3')).rejects.toThrow(/attention of the UNet's middle is not to be found/);
});
