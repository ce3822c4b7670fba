/** Adapters of every kind, compared with LyCORIS' modules on the same weights (test/diffusers/scripts/adapters.py). */

import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { writeExported } from '#test/support/model-files/exported-model.ts';
import { largestDifference, tensor } from '#test/support/model-files/exported-numbers.ts';
import { loadNetwork } from '../checkpoints/standalone-parts.ts';
import { readAdapter } from './read-adapter.ts';

const FOLDER = new URL('../../../../test/diffusers/', import.meta.url);
const read = async (name: string) => JSON.parse(await readFile(new URL(name, FOLDER), 'utf8'));
const never = new AbortController().signal;
const host = await weightsHost('here');

beforeAll(async () => {
  await writeExported(host.files, 'unet', 'models/diffusion_models/unet');
  await writeExported(host.files, 'adapters', 'models/loras');
});

test.each([
  'locon',
  'loha',
  'loha-tucker',
  'lokr',
  'lokr-whole',
  'lokr-both',
  'dora',
  'dora-inputs',
  'loha-dora',
  'differences',
])('%s', { timeout: 60_000 }, async (name) => {
  const { unet } = await read('expected.json');
  const { strength, answers } = await read('adapters.json');
  const { network } = await loadNetwork(host, 'unet');
  const adapted = await network.withAdapter!(await readAdapter(host, `${name}.safetensors`), strength);
  const prompts = [{ tensor: tensor(unet.text), options: {} }];
  const [answer] = await adapted.predict(tensor(unet.x), unet.timestep, prompts, never);
  expect(largestDifference(answer, answers[name])).toBeLessThan(1e-5);
  expect(largestDifference(answer, unet.plain)).toBeGreaterThan(1e-3);
});
