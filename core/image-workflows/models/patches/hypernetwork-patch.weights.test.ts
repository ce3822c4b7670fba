/** Hypernetworks as trainers save them, compared with torch (test/diffusers/scripts/hypernetwork.py). */

import { readdir, readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { writeExported } from '#test/support/model-files/exported-model.ts';
import { type Numbers, tensor } from '#test/support/model-files/exported-numbers.ts';
import { writeBuiltUnet } from '#test/support/model-files/exported-weights.ts';
import type { NodeContext } from '../../nodes/kernel/node-context.ts';
import { hypernetworkLoader } from '../../nodes/model/hypernetwork.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { DiffusionNetwork } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { loadNetwork } from '../checkpoints/standalone-parts.ts';
import { ACTIVATIONS, type Hypernetwork, readHypernetwork } from './hypernetwork-file.ts';
import { hypernetworkPatch } from './hypernetwork-patch.ts';

const FOLDER = new URL('../../../../test/diffusers/', import.meta.url);
const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost('here');
let recorded: Record<string, Numbers> & { strength: number };
let unet: Record<'x' | 'text' | 'plain', Numbers> & { timestep: number };

const json = async (name: string) => JSON.parse(await readFile(new URL(name, FOLDER), 'utf8'));
const largestDifference = (actual: FloatTensor, { data }: Numbers): number =>
  data.reduce((max, value, i) => Math.max(max, Math.abs(value - actual.data[i]!)), 0);

beforeAll(async () => {
  await writeExported(host.files, 'unet', 'models/diffusion_models/unet');
  await writeBuiltUnet(host, 'unet', 'models/diffusion_models/unet_built');
  await writeExported(host.files, 'sd3', 'models/diffusion_models/sd3');
  for (const name of await readdir(new URL('hypernetworks/', FOLDER)))
    await host.files.write(
      `models/hypernetworks/${name}`,
      await readFile(new URL(`hypernetworks/${name}`, FOLDER)),
    );
  [recorded, { unet }] = await Promise.all([json('hypernetwork.json'), json('expected.json')]);
});

async function answerOf(network: DiffusionNetwork): Promise<FloatTensor> {
  const prompt = { tensor: tensor(unet.text), options: {} };
  return (await network.predict(tensor(unet.x), unet.timestep, [prompt], never))[0]!;
}

async function loadPatched(
  name: string,
  strength = recorded.strength,
  model = 'unet',
): Promise<DiffusionModel> {
  const context = { host, signal: never } as unknown as NodeContext;
  const values = { model: await loadNetwork(host, model), hypernetwork_name: name, strength };
  return ((await hypernetworkLoader.run(values, context)) as DiffusionModel[])[0]!;
}

test.each(['relu', 'old', 'normed'])('the file %s.pt', SLOW, async (name) => {
  const answer = await answerOf((await loadPatched(`${name}.pt`)).network);
  expect(largestDifference(answer, recorded[name]!)).toBeLessThan(1e-5);
  expect(largestDifference(answer, unet.plain)).toBeGreaterThan(1e-3);
  const built = await answerOf((await loadPatched(`${name}.pt`, undefined, 'unet_built')).network);
  expect(largestDifference(built, recorded[name]!)).toBeLessThan(1e-5);
});

test.each(ACTIVATIONS)('the activation %s', SLOW, async (activation) => {
  const { key, widths } = await readHypernetwork(host, 'relu.pt');
  const other: Hypernetwork = {
    key: `${key} ${activation}`,
    widths: new Map(
      [...widths].map(([width, pair]) => {
        const [first, second] = pair.map(([layer, next]) => [{ ...layer!, activation }, next!] as const);
        return [width, [first!, second!]] as const;
      }),
    ),
  };
  const { network } = await loadNetwork(host, 'unet');
  const changed = await network.withPatch!(hypernetworkPatch(other, recorded.strength), never);
  expect(largestDifference(await answerOf(changed), recorded[activation]!)).toBeLessThan(1e-5);
});

test(
  'strength 0 changes nothing, an equal patch counts once, and different patches add up',
  SLOW,
  async () => {
    expect(
      largestDifference(await answerOf((await loadPatched('relu.pt', 0)).network), unet.plain),
    ).toBeLessThan(1e-5);
    const file = await readHypernetwork(host, 'relu.pt');
    const [plus, minus] = [hypernetworkPatch(file, 0.7), hypernetworkPatch(file, -0.7)];
    const { network } = await loadNetwork(host, 'unet');
    const first = await network.withPatch!(plus, never);
    expect(
      largestDifference(await answerOf(await first.withPatch!(plus, never)), recorded.relu!),
    ).toBeLessThan(1e-5);
    // The second patch gets the first one's result as its input, so the two do not cancel out.
    const both = await answerOf(await first.withPatch!(minus, never));
    expect(largestDifference(both, recorded.relu!)).toBeGreaterThan(1e-3);
    expect(both.data.every(Number.isFinite)).toBe(true);
  },
);

describe('rejects files and models that cannot be used:', () => {
  test.each([
    ['other.pt', 'unet', /of the widths 3, which this model does not have/],
    ['relu.pt', 'sd3', /attention of a UNet cannot be found/],
    ['missing.pt', 'unet', /missing\.pt/],
    ['any.safetensors', 'unet', /no form in safetensors.*\.pt file/],
    ['text.pt', 'unet', /text\.pt cannot be used: it is no file of torch\.save/],
    ['half.pt', 'unet', /half\.pt cannot be used: its archive is damaged or incomplete/],
  ])('%s for %s', SLOW, async (name, model, message) => {
    const archive = await readFile(new URL('hypernetworks/relu.pt', FOLDER));
    await host.files.write('models/hypernetworks/any.safetensors', new Uint8Array(8));
    await host.files.write('models/hypernetworks/text.pt', new TextEncoder().encode('no weights'));
    await host.files.write('models/hypernetworks/half.pt', archive.subarray(0, archive.length / 2));
    await expect(loadPatched(name, 1, model)).rejects.toThrow(message);
  });
});
