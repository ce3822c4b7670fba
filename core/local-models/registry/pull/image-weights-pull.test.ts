/** Single files of weights for image workflows are pulled by their path or address. */
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { encodeSafetensors } from '#core/image-workflows/nodes/latent/safetensors.ts';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { type Hub, startHub } from '#test/support/local-models/hub.ts';
import { collect, registryUnderTest } from '#test/support/local-models/registry-host.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const weights = encodeSafetensors(
  { 'decoder.conv_in.weight': { shape: [2, 3], data: new Float32Array(6) } },
  {},
);
let hub: Hub;
beforeAll(async () => {
  hub = await startHub({
    'user/images': {
      card: { license: 'openrail' },
      files: {
        'vae/sd-vae-fp16.safetensors': weights,
        'broken.safetensors': weights.slice(0, 20),
        'page.safetensors': new TextEncoder().encode('<!DOCTYPE html><title>Sign in</title>'),
        'empty.safetensors': encodeSafetensors({}, {}),
      },
    },
    'stabilityai/sd-vae-ft-mse-original': {
      card: {},
      files: { 'vae-ft-mse-840000-ema-pruned.safetensors': weights },
    },
    'stabilityai/stable-diffusion-xl-refiner-1.0': {
      card: {},
      files: { 'sd_xl_refiner_1.0.safetensors': weights },
    },
  });
});
afterAll(() => hub.close());
beforeEach(() => {
  delete hub.faults.cut;
});

const registry = () => registryUnderTest({ settings: { HF_ENDPOINT: hub.endpoint } });
const pull = (model: string) => ({ model, insecure: false });

it.each([
  'hf.co/user/images/vae/sd-vae-fp16.safetensors',
  'huggingface.co/user/images/resolve/main/vae/sd-vae-fp16.safetensors',
  'https://huggingface.co/user/images/resolve/main/vae/sd-vae-fp16.safetensors?download=true',
])('%s is installed under the name of its file', async (reference) => {
  const { host, registry: models } = registry();
  hub.faults.cut = { at: 0.5, times: 1 };
  const { lines, error } = await collect(models.pull(pull(reference), neverAborted));
  expect(error).toBeUndefined();
  expect(lines).toContainEqual({ status: 'licence: openrail' });
  expect(lines.at(-1)).toEqual({ status: 'success' });
  const [found] = await models.list();
  expect(found).toMatchObject({
    format: 'safetensors',
    files: [{ role: 'weights', name: 'sd-vae-fp16.safetensors', size: weights.length }],
    capabilities: ['image'],
  });
  expect(models.display(found!.name)).toBe('hf.co/user/images:sd-vae-fp16');
  expect(await models.metadata(found!)).toMatchObject({ quantization: 'F32', parameterCount: 6 });
  await models.delete(found!.name);
  expect(await host.blobs.list()).toEqual([]);
});

it.each([
  ['vae-ft-mse-840000-ema-pruned.safetensors', undefined],
  ['sd_xl_refiner_1.0.safetensors', { status: 'licence: Open RAIL++-M' }],
])('finds %s by the name that graphs use', async (name, licence) => {
  const { registry: models } = registry();
  const { lines, error } = await collect(models.pull(pull(name), neverAborted));
  expect(error).toBeUndefined();
  if (licence) expect(lines).toContainEqual(licence);
  const [found] = await models.list();
  expect(found).toMatchObject({ files: [{ name }] });
  expect(models.display(found!.name)).toBe(`${name}:latest`);
});

it('pulls an address outside of the hub', async () => {
  const { registry: models } = registry();
  const address = `${hub.endpoint}/user/images/resolve/main/vae/sd-vae-fp16.safetensors`;
  expect((await collect(models.pull(pull(address), neverAborted))).error).toBeUndefined();
  const [found] = await models.list();
  expect(found).toMatchObject({ files: [{ name: 'sd-vae-fp16.safetensors' }] });
  expect(models.display(found!.name)).toBe('sd-vae-fp16:latest');
});

it.each([
  ['broken.safetensors', 400, /no safetensors file/],
  ['page.safetensors', 400, /no safetensors file/],
  ['empty.safetensors', 400, /no tensors/],
  ['absent.safetensors', 500, /holds no absent\.safetensors; it has vae\/sd-vae-fp16\.safetensors/],
])('refuses %s with the cause, and keeps nothing of it', async (file, status, message) => {
  const { host, registry: models } = registry();
  const { error } = await collect(models.pull(pull(`hf.co/user/images/${file}`), neverAborted));
  expect(error).toMatchObject({ name: 'ApiError', status });
  expect(String(error)).toMatch(message);
  expect(await models.list()).toEqual([]);
  expect(await host.blobs.list()).toEqual([]);
});
