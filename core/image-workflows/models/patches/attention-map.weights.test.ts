/**
 * The attention map of a UNet's middle block and self-attention guidance, compared with torch
 * (test/diffusers/scripts/sag.py).
 */

import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { writeExported } from '#test/support/model-files/exported-model.ts';
import { largestDifference, type Numbers, tensor } from '#test/support/model-files/exported-numbers.ts';
import { writeBuiltUnet } from '#test/support/model-files/exported-weights.ts';
import type { NodeContext } from '../../nodes/kernel/node-context.ts';
import { selfAttentionGuidanceNode } from '../../nodes/sampling/self-attention-guidance.ts';
import { basicGuider, cfgGuider } from '../../sampling/guidance/guiders.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { loadNetwork } from '../checkpoints/standalone-parts.ts';
import { ATTENTION_MAP, attentionMap } from './attention-map.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost('here');
let recorded: Record<'x' | 'text' | 'other' | 'map' | 'plain' | 'guided', Numbers> &
  Record<'sigma' | 'timestep' | 'cfg' | 'scale' | 'blur', number>;

const prompt = (numbers: Numbers): Conditioning => [{ tensor: tensor(numbers), options: {} }];

beforeAll(async () => {
  for (const name of ['unet', 'sd3'])
    await writeExported(host.files, name, `models/diffusion_models/${name}`);
  await writeBuiltUnet(host, 'unet', 'models/diffusion_models/unet_built');
  recorded = JSON.parse(
    await readFile(new URL('../../../../test/diffusers/sag.json', import.meta.url), 'utf8'),
  );
});

async function guided(name = 'unet'): Promise<DiffusionModel> {
  const context = { host, signal: never } as unknown as NodeContext;
  const values = { model: await loadNetwork(host, name), scale: recorded.scale, blur_sigma: recorded.blur };
  const [model] = (await selfAttentionGuidanceNode.run(values, context)) as DiffusionModel[];
  return model!;
}

test.each(['unet', 'unet_built'])(
  'captures the attention map of %s without changing the output',
  SLOW,
  async (name) => {
    const { network, sampling } = await loadNetwork(host, name);
    const changed = await network.withPatch!(attentionMap, never);
    const captures: Readonly<Record<string, FloatTensor>>[] = [];
    const input = sampling.input(recorded.sigma, tensor(recorded.x));
    const capturing = {
      ...prompt(recorded.other)[0]!,
      activePatches: { onCapture: (values: (typeof captures)[0]) => captures.push(values) },
    };
    const [answer] = await changed.predict(input, recorded.timestep, [capturing], never);
    expect(captures).toHaveLength(1);
    expect(captures[0]![ATTENTION_MAP]!.shape).toEqual(recorded.map.shape);
    expect(largestDifference(captures[0]![ATTENTION_MAP], recorded.map)).toBeLessThan(1e-5);
    // With two prompts in a batch, each has its own map.
    const [, second] = await changed.predict(input, recorded.timestep, [{ ...capturing }, capturing], never);
    expect(captures[1]![ATTENTION_MAP]!.shape).toEqual([4, recorded.map.shape[1]]);
    expect(second!.data).toEqual(answer!.data);
  },
);

test.each(['unet', 'unet_built'])('self-attention guidance of %s', SLOW, async (name) => {
  const model = await guided(name);
  const guider = cfgGuider(model, prompt(recorded.text), prompt(recorded.other), recorded.cfg);
  const x = tensor(recorded.x);
  const denoised = await guider.open(x.shape, never).denoise(x, recorded.sigma);
  expect(largestDifference(denoised, recorded.guided)).toBeLessThan(2e-5);
  expect(largestDifference(denoised, recorded.plain)).toBeGreaterThan(1e-2);
});

test(
  'at scale 1 the negative prompt still runs for the guidance; without one, the prompt takes its part',
  SLOW,
  async () => {
    const model = await guided();
    const x = tensor(recorded.x);
    const at = (guider: ReturnType<typeof basicGuider>) =>
      guider.open(x.shape, never).denoise(x, recorded.sigma);
    const guidedResult = await at(cfgGuider(model, prompt(recorded.text), prompt(recorded.other), 1));
    const plain = await at(
      cfgGuider(await loadNetwork(host, 'unet'), prompt(recorded.text), prompt(recorded.other), 1),
    );
    const added = recorded.guided.data.map((value, i) => value - recorded.plain.data[i]!);
    for (const [i, value] of added.entries())
      expect(guidedResult.data[i]! - plain.data[i]!).toBeCloseTo(value, 4);
    const alone = await at(basicGuider(model, prompt(recorded.other)));
    const plainAlone = await at(basicGuider(await loadNetwork(host, 'unet'), prompt(recorded.other)));
    for (const [i, value] of added.entries())
      expect(alone.data[i]! - plainAlone.data[i]!).toBeCloseTo(value, 4);
  },
);

test('a latent that is too small for the blur stays unchanged', SLOW, async () => {
  const x: FloatTensor = { shape: [1, 4, 4, 6], data: tensor(recorded.x).data.slice(0, 96) };
  const at = (model: DiffusionModel) =>
    cfgGuider(model, prompt(recorded.text), prompt(recorded.other), recorded.cfg)
      .open(x.shape, never)
      .denoise(x, recorded.sigma);
  const [result, plain] = [await at(await guided()), await at(await loadNetwork(host, 'unet'))];
  expect(largestDifference(result, { shape: [], data: [...plain.data] })).toBeLessThan(1e-5);
});

test('rejects transformers, which have no middle block', SLOW, async () => {
  await expect(guided('sd3')).rejects.toThrow(/attention of the UNet's middle cannot be found/);
});
