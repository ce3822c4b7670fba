/** Networks whose graphs are built here, compared with those that torch computes (test/upscalers). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import {
  type ExpectedNetwork,
  expectedImage,
  expectedNetworks,
  networkFile,
  STRIDE,
} from '#test/upscalers/expected-networks.ts';
import { imageRaster, rasterToPlanes } from '../../images/rasters.ts';
import { loadUpscaleModel } from './upscale-model.ts';

const { signal } = new AbortController();
const networks = await expectedNetworks();
const host = await weightsHost('here');

test.each(Object.entries(networks))('%s', async (name: string, network: ExpectedNetwork) => {
  await host.files.write(`models/upscale_models/${name}.safetensors`, networkFile(network));
  const model = await loadUpscaleModel(host, `${name}.safetensors`, signal);
  expect(model.scale).toBe(network.scale);
  const image = await model.upscale(expectedImage(network), signal);
  const larger = rasterToPlanes(imageRaster(image));
  const { shape, std, data } = network.larger;
  expect(larger.shape).toEqual(shape);
  const far = data.filter((value, at) => !(Math.abs(value - larger.data[at * STRIDE]!) <= 1e-4 * std + 1e-6));
  expect(far).toEqual([]);
});
