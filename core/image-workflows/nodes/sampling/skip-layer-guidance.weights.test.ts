/** The nodes on a tiny Stable Diffusion 3, held against torch (test/diffusers/skipped.py). */

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import type { TestHost } from '#test/support/host/test-host.ts';
import { writeExported } from '#test/support/model-files/exported-model.ts';
import { type Numbers, tensor } from '#test/support/model-files/exported-numbers.ts';
import { loadNetwork } from '../../models/checkpoints/standalone-parts.ts';
import { graphsOf } from '../../models/graphs/graph-registry.ts';
import { cfgGuider } from '../../sampling/guidance/guiders.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { skipLayerGuidanceNodes } from './skip-layer-guidance.ts';

const FOLDER = new URL('../../../../test/diffusers/', import.meta.url);
const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
/** That of the timestep 400. */
const SIGMA = 0.4;
let host: TestHost;
let remove: () => Promise<void>;
let x: FloatTensor;
let prompt: Conditioning;
let other: Conditioning;
/** The clean latents that torch sees under the prompt, with all layers and without the first. */
let whole: number[];
let skipped: number[];

const json = async (name: string) => JSON.parse(await readFile(new URL(name, FOLDER), 'utf8'));

beforeAll(async () => {
  ({ host, remove } = await onnxHost('here'));
  await writeExported(host.files, 'sd3', 'models/diffusion_models/sd3');
  const [{ sd3 }, answers] = await Promise.all([json('expected.json'), json('skipped.json')]);
  x = tensor(sd3.x);
  prompt = [{ tensor: tensor(sd3.text), options: { pooled: tensor(sd3.pooled) } }];
  other = [
    {
      tensor: { shape: sd3.text.shape, data: tensor(sd3.text).data.map((one) => 0.5 - one) },
      options: { pooled: tensor(sd3.pooled) },
    },
  ];
  const clean = ({ data }: Numbers) => data.map((velocity, i) => sd3.x.data[i] - SIGMA * velocity);
  whole = clean(sd3.plain);
  skipped = clean(answers['sd3 0']);
});
afterAll(async () => {
  await graphsOf(host).unload();
  await remove();
});

const model = (): Promise<DiffusionModel> => loadNetwork(host, 'sd3');
async function changedBy(
  name: string,
  given: DiffusionModel,
  values: Record<string, unknown>,
): Promise<DiffusionModel> {
  const type = skipLayerGuidanceNodes.find((one) => one.name === name)!;
  const context = { host, signal: never } as unknown as NodeContext;
  const all = { scale: 2, start_percent: 0, end_percent: 1, rescaling_scale: 0, ...values };
  return ((await type.run({ model: given, ...all }, context)) as DiffusionModel[])[0]!;
}
const seen = async (given: DiffusionModel, cfg: number, positive = prompt, negative = other) =>
  (await cfgGuider(given, positive, negative, cfg).open(x.shape, never).denoise(x, SIGMA)).data;
function close(given: Float32Array, expected: readonly number[]): void {
  expect(Math.max(...expected.map((value, i) => Math.abs(value - given[i]!)))).toBeLessThan(2e-5);
}
const deviation = (numbers: readonly number[]): number => {
  const mean = numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  return Math.sqrt(numbers.reduce((sum, one) => sum + (one - mean) ** 2, 0) / numbers.length);
};

test.each([
  ['SkipLayerGuidanceSD3', { layers: '0' }],
  ['SkipLayerGuidanceDiT', { double_layers: 'the 0th, 23', single_layers: '' }],
])('%s leads away from what is seen without layers', SLOW, async (name, values) => {
  const changed = await changedBy(name, await model(), values);
  const led = whole.map((value, i) => value + 2 * (value - skipped[i]!));
  close(await seen(changed, 1), led);
  const plain = await seen(await model(), 4);
  close(
    await seen(changed, 4),
    led.map((value, i) => plain[i]! + value - whole[i]!),
  );
});

test('SkipLayerGuidanceDiT may spread the result as widely as what is seen of the prompt', SLOW, async () => {
  const values = { double_layers: '0', single_layers: '', scale: 10, rescaling_scale: 7 };
  const led = whole.map((value, i) => value + 10 * (value - skipped[i]!));
  const factor = 7 * (deviation(whole) / deviation(led)) - 6;
  expect(Math.abs(factor - 1)).toBeGreaterThan(1e-3);
  const given = await seen(await changedBy('SkipLayerGuidanceDiT', await model(), values), 1);
  close(
    given,
    led.map((value) => value * factor),
  );
});

test('SkipLayerGuidanceDiTSimple leaves layers out for the negative prompt alone', SLOW, async () => {
  const values = { double_layers: '0', single_layers: '7' };
  const changed = await changedBy('SkipLayerGuidanceDiTSimple', await model(), values);
  const wanted = await seen(await model(), 1, other);
  const expected = skipped.map((value, i) => value + 4 * (wanted[i]! - value));
  close(await seen(changed, 4, other, prompt), expected);
  close(await seen(changed, 1), whole);
});

test.each([
  ['SkipLayerGuidanceSD3', { layers: '0' }],
  ['SkipLayerGuidanceDiT', { double_layers: '0', single_layers: '' }],
  ['SkipLayerGuidanceDiTSimple', { double_layers: '0', single_layers: '' }],
])('%s: another part of the sampling is as it was', SLOW, async (name, values) => {
  const range = { start_percent: 0.9, end_percent: 0.95 };
  const changed = await changedBy(name, await model(), { ...values, ...range });
  close(await seen(changed, 4), [...(await seen(await model(), 4))]);
});

test('without layers, or by nothing, the model is as it was', async () => {
  const given = await model();
  expect(await changedBy('SkipLayerGuidanceSD3', given, { layers: 'none' })).toBe(given);
  expect(await changedBy('SkipLayerGuidanceSD3', given, { layers: '0', scale: 0 })).toBe(given);
  for (const name of ['SkipLayerGuidanceDiT', 'SkipLayerGuidanceDiTSimple'])
    expect(await changedBy(name, given, { double_layers: '', single_layers: ' ' })).toBe(given);
});
