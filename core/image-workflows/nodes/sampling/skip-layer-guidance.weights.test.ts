/** The nodes on a tiny Stable Diffusion 3, compared with torch (test/diffusers/scripts/skipped_layers.py). */

import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { writeExported } from '#test/support/model-files/exported-model.ts';
import { type Numbers, tensor } from '#test/support/model-files/exported-numbers.ts';
import { loadNetwork } from '../../models/checkpoints/standalone-parts.ts';
import { cfgGuider } from '../../sampling/guidance/guiders.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { skipLayerGuidanceNodes } from './skip-layer-guidance.ts';

const FOLDER = new URL('../../../../test/diffusers/', import.meta.url);
const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
/** The noise level of timestep 400. */
const SIGMA = 0.4;
const host = await weightsHost('here');
let x: FloatTensor;
let prompt: Conditioning;
let other: Conditioning;
/** The clean latents that torch predicts with the prompt, with all layers and without the first. */
let complete: number[];
let skipped: number[];

const json = async (name: string) => JSON.parse(await readFile(new URL(name, FOLDER), 'utf8'));

beforeAll(async () => {
  await writeExported(host.files, 'sd3', 'models/diffusion_models/sd3');
  const [{ sd3 }, answers] = await Promise.all([json('expected.json'), json('skipped_layers.json')]);
  x = tensor(sd3.x);
  prompt = [{ tensor: tensor(sd3.text), options: { pooled: tensor(sd3.pooled) } }];
  other = [
    {
      tensor: { shape: sd3.text.shape, data: tensor(sd3.text).data.map((value) => 0.5 - value) },
      options: { pooled: tensor(sd3.pooled) },
    },
  ];
  const clean = ({ data }: Numbers) => data.map((velocity, i) => sd3.x.data[i] - SIGMA * velocity);
  complete = clean(sd3.plain);
  skipped = clean(answers['sd3 0']);
});

const model = (): Promise<DiffusionModel> => loadNetwork(host, 'sd3');
async function applyNode(
  name: string,
  base: DiffusionModel,
  values: Record<string, unknown>,
): Promise<DiffusionModel> {
  const type = skipLayerGuidanceNodes.find((node) => node.name === name)!;
  const context = { host, signal: never } as unknown as NodeContext;
  const all = { scale: 2, start_percent: 0, end_percent: 1, rescaling_scale: 0, ...values };
  return ((await type.run({ model: base, ...all }, context)) as DiffusionModel[])[0]!;
}
const denoise = async (guided: DiffusionModel, cfg: number, positive = prompt, negative = other) =>
  (await cfgGuider(guided, positive, negative, cfg).open(x.shape, never).denoise(x, SIGMA)).data;
function expectClose(actual: Float32Array, expected: readonly number[]): void {
  expect(Math.max(...expected.map((value, i) => Math.abs(value - actual[i]!)))).toBeLessThan(2e-5);
}
const deviation = (numbers: readonly number[]): number => {
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  return Math.sqrt(numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0) / numbers.length);
};

test.each([
  ['SkipLayerGuidanceSD3', { layers: '0' }],
  ['SkipLayerGuidanceDiT', { double_layers: 'the 0th, 23', single_layers: '' }],
])('%s guides away from the prediction without layers', SLOW, async (name, values) => {
  const changed = await applyNode(name, await model(), values);
  const guided = complete.map((value, i) => value + 2 * (value - skipped[i]!));
  expectClose(await denoise(changed, 1), guided);
  const plain = await denoise(await model(), 4);
  expectClose(
    await denoise(changed, 4),
    guided.map((value, i) => plain[i]! + value - complete[i]!),
  );
});

test('SkipLayerGuidanceDiT rescales the result to the deviation of the prediction', SLOW, async () => {
  const values = { double_layers: '0', single_layers: '', scale: 10, rescaling_scale: 7 };
  const target = complete.map((value, i) => value + 10 * (value - skipped[i]!));
  const factor = 7 * (deviation(complete) / deviation(target)) - 6;
  expect(Math.abs(factor - 1)).toBeGreaterThan(1e-3);
  const guided = await denoise(await applyNode('SkipLayerGuidanceDiT', await model(), values), 1);
  expectClose(
    guided,
    target.map((value) => value * factor),
  );
});

test('SkipLayerGuidanceDiTSimple omits layers for the negative prompt alone', SLOW, async () => {
  const values = { double_layers: '0', single_layers: '7' };
  const changed = await applyNode('SkipLayerGuidanceDiTSimple', await model(), values);
  const positive = await denoise(await model(), 1, other);
  const expected = skipped.map((value, i) => value + 4 * (positive[i]! - value));
  expectClose(await denoise(changed, 4, other, prompt), expected);
  expectClose(await denoise(changed, 1), complete);
});

test.each([
  ['SkipLayerGuidanceSD3', { layers: '0' }],
  ['SkipLayerGuidanceDiT', { double_layers: '0', single_layers: '' }],
  ['SkipLayerGuidanceDiTSimple', { double_layers: '0', single_layers: '' }],
])('%s changes nothing outside of its range', SLOW, async (name, values) => {
  const range = { start_percent: 0.9, end_percent: 0.95 };
  const changed = await applyNode(name, await model(), { ...values, ...range });
  expectClose(await denoise(changed, 4), [...(await denoise(await model(), 4))]);
});

test('without layers, or with scale 0, the model stays unchanged', async () => {
  const base = await model();
  expect(await applyNode('SkipLayerGuidanceSD3', base, { layers: 'none' })).toBe(base);
  expect(await applyNode('SkipLayerGuidanceSD3', base, { layers: '0', scale: 0 })).toBe(base);
  for (const name of ['SkipLayerGuidanceDiT', 'SkipLayerGuidanceDiTSimple'])
    expect(await applyNode(name, base, { double_layers: '', single_layers: ' ' })).toBe(base);
});
