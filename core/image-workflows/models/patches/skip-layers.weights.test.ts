/**
 * Transformers without some of their layers, compared with torch on the same weights
 * (test/diffusers/scripts/skipped_layers.py).
 */

import { readdir, readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { largestDifference, type Numbers, tensor } from '#test/support/model-files/exported-numbers.ts';
import type { NetworkPrompt } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { loadNetwork } from '../checkpoints/standalone-parts.ts';
import { type SkippedLayers, skipLayers } from './skip-layers.ts';

const FOLDER = new URL('../../../../test/diffusers/', import.meta.url);
const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost('here');
let skipped: Record<string, Numbers>;
let expected: Record<
  'sd3' | 'flux',
  Record<'x' | 'text' | 'pooled' | 'plain', Numbers> & { timestep: number }
>;

const json = async (name: string) => JSON.parse(await readFile(new URL(name, FOLDER), 'utf8'));

beforeAll(async () => {
  for (const name of ['sd3', 'flux', 'unet'])
    for (const file of await readdir(new URL(`${name}/`, FOLDER)))
      await host.files.write(
        `models/diffusion_models/${name}/${file}`,
        await readFile(new URL(`${name}/${file}`, FOLDER)),
      );
  [skipped, expected] = await Promise.all([json('skipped_layers.json'), json('expected.json')]);
});

/** The outputs with and without the layers, from one call. */
async function answers(name: 'sd3' | 'flux', layers: SkippedLayers): Promise<FloatTensor[]> {
  const { x, text, pooled, timestep } = expected[name];
  const { network } = await loadNetwork(host, name);
  const change = skipLayers(layers);
  const changed = await network.withPatch!(change, never);
  const prompt: NetworkPrompt = { tensor: tensor(text), options: { pooled: tensor(pooled), guidance: 3.5 } };
  const without: NetworkPrompt = { ...prompt, activePatches: { switches: new Set([change.key]) } };
  return changed.predict(tensor(x), timestep, [prompt, without], never);
}

test.each([
  ['sd3', 'sd3 0', { double: [0], single: [] }],
  // The last layer has no text stream.
  ['sd3', 'sd3 1', { double: [1], single: [] }],
  ['sd3', 'sd3 0 1', { double: [1, 0, 1], single: [] }],
  // Numbers of missing layers are ignored.
  ['sd3', 'sd3 0', { double: [0, 7], single: [0, 9] }],
  ['flux', 'flux double', { double: [0], single: [] }],
  ['flux', 'flux single', { double: [], single: [0] }],
  ['flux', 'flux both', { double: [0], single: [0] }],
] as const)('%s: %s', SLOW, async (name, other, layers) => {
  const [plain, without] = await answers(name, layers);
  expect(largestDifference(plain, expected[name].plain)).toBeLessThan(1e-5);
  expect(largestDifference(without, skipped[other]!)).toBeLessThan(1e-5);
  expect(largestDifference(plain, skipped[other]!)).toBeGreaterThan(1e-3);
});

test('layers that the model does not have are ignored', SLOW, async () => {
  const [plain, without] = await answers('sd3', { double: [7, 8], single: [9] });
  expect(largestDifference(plain, expected.sd3.plain)).toBeLessThan(1e-5);
  expect(without).toEqual(plain);
});

test('several patches, each with a switch of its own', SLOW, async () => {
  const { x, text, pooled, timestep } = expected.sd3;
  const { network } = await loadNetwork(host, 'sd3');
  const changes = [[0], [1], [0, 1]].map((double) => skipLayers({ double, single: [] }));
  let changed = network;
  for (const change of changes) changed = await changed.withPatch!(change, never);
  const prompt: NetworkPrompt = { tensor: tensor(text), options: { pooled: tensor(pooled) } };
  const prompts = changes.map(({ key }) => ({ ...prompt, activePatches: { switches: new Set([key]) } }));
  const outputs = await changed.predict(tensor(x), timestep, prompts, never);
  for (const [index, name] of ['sd3 0', 'sd3 1', 'sd3 0 1'].entries())
    expect(largestDifference(outputs[index], skipped[name]!)).toBeLessThan(1e-5);
});

test('rejects UNets, which have no such layers', SLOW, async () => {
  const { network } = await loadNetwork(host, 'unet');
  await expect(network.withPatch!(skipLayers({ double: [7], single: [] }), never)).rejects.toThrow(
    /layers of a transformer cannot be found/,
  );
});
