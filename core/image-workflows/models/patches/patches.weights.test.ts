/** Patches of attention, compared with torch's results on the same weights (test/diffusers/scripts/attention.py). */

import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { writeExported } from '#test/support/model-files/exported-model.ts';
import { largestDifference, type Numbers, tensor } from '#test/support/model-files/exported-numbers.ts';
import { writeBuiltUnet } from '#test/support/model-files/exported-weights.ts';
import { nodeTypes } from '../../nodes/index.ts';
import type { NodeContext } from '../../nodes/kernel/node-context.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { NetworkPrompt } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { loadNetwork } from '../checkpoints/standalone-parts.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { perturbedAttention } from './perturbed-attention.ts';

const FOLDER = new URL('../../../../test/diffusers/', import.meta.url);
const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost('here');
let inside: { perturbed: Numbers; multiplied: Record<'attn1' | 'attn2', Numbers> };
let x: FloatTensor;
let prompt: NetworkPrompt;
let plain: Numbers;
let timestep: number;

beforeAll(async () => {
  await writeExported(host.files, 'unet', 'models/diffusion_models/unet');
  await writeBuiltUnet(host, 'unet', 'models/diffusion_models/unet_built');
  inside = JSON.parse(await readFile(new URL('attention.json', FOLDER), 'utf8'));
  const { unet } = JSON.parse(await readFile(new URL('expected.json', FOLDER), 'utf8'));
  x = tensor(unet.x);
  plain = unet.plain;
  timestep = unet.timestep;
  prompt = { tensor: tensor(unet.text), options: {} };
});

const model = async (folder = 'unet'): Promise<DiffusionModel> => loadNetwork(host, folder);
/** The model as a node changes it. */
async function changedBy(
  name: string,
  values: Record<string, unknown>,
  folder?: string,
): Promise<DiffusionModel> {
  const type = nodeTypes.find((node) => node.name === name)!;
  const context = { host, signal: never } as unknown as NodeContext;
  const [changed] = (await type.run({ model: await model(folder), ...values }, context)) as unknown[];
  return changed as DiffusionModel;
}

test.each(['unet', 'unet_built'])(
  'perturbs attention of %s for prompts that switch it on, in one batch',
  SLOW,
  async (folder) => {
    const { network } = await model(folder);
    const changed = await network.withPatch!(perturbedAttention, never);
    const perturbed: NetworkPrompt = {
      ...prompt,
      activePatches: { switches: new Set([perturbedAttention.key]) },
    };
    const [unperturbed, perturbedOutput] = await changed.predict(x, timestep, [prompt, perturbed], never);
    expect(largestDifference(unperturbed, plain)).toBeLessThan(1e-5);
    expect(largestDifference(perturbedOutput, inside.perturbed)).toBeLessThan(1e-5);
    expect(largestDifference(unperturbed, inside.perturbed)).toBeGreaterThan(1e-3);
    // Applying the patch again changes nothing.
    const twice = await changed.withPatch!(perturbedAttention, never);
    expect(
      largestDifference((await twice.predict(x, timestep, [perturbed], never))[0], inside.perturbed),
    ).toBeLessThan(1e-5);
  },
);

test.each([
  ['UNetSelfAttentionMultiply', 'attn1'],
  ['UNetCrossAttentionMultiply', 'attn2'],
] as const)('%s', SLOW, async (name, kind) => {
  for (const folder of ['unet', 'unet_built']) {
    const { network } = await changedBy(name, { q: 1.5, k: 0.5, v: 2, out: 0.8 }, folder);
    const [answer] = await network.predict(x, timestep, [prompt], never);
    expect(largestDifference(answer, inside.multiplied[kind])).toBeLessThan(1e-5);
  }
});

test('patches a graph at the right offsets after it was exported again', SLOW, async () => {
  const to = 'models/diffusion_models/anew';
  await writeExported(host.files, 'unet', to);
  const perturbed: NetworkPrompt = {
    ...prompt,
    activePatches: { switches: new Set([perturbedAttention.key]) },
  };
  const answer = async () => {
    const { network } = await loadNetwork(host, 'anew');
    const changed = await network.withPatch!(perturbedAttention, never);
    return (await changed.predict(x, timestep, [perturbed], never))[0];
  };
  expect(largestDifference(await answer(), inside.perturbed)).toBeLessThan(1e-5);
  // A text at the start of the file moves all offsets.
  const graph = await host.files.read(`${to}/model.onnx`);
  const text = new TextEncoder().encode('anew');
  const moved = new Uint8Array([0x32, text.length, ...text, ...graph]);
  await graphsOf(host).unload();
  await host.files.write(`${to}/model.onnx`, moved);
  expect(largestDifference(await answer(), inside.perturbed)).toBeLessThan(1e-5);
});
