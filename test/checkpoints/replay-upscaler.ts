import { imageRaster, rasterToPlanes } from '#core/image-workflows/images/rasters.ts';
import { loadUpscaleModel } from '#core/image-workflows/models/upscaling/upscale-model.ts';
import type { TestHost } from '#test/support/host/test-host.ts';
import { isNear } from './comparison.ts';
import type { Recipe } from './recipe.ts';
import type { RecordedNumbers } from './recorded-numbers.ts';

/**
 * Enlarges the recorded image with a file of `models/upscale_models`. Resolves to the number of arrays outside of the
 * tolerance.
 */
export async function replayUpscaler(
  host: TestHost,
  file: string,
  numbers: RecordedNumbers,
  recipe: Recipe,
): Promise<number> {
  const { signal } = new AbortController();
  const { image } = numbers.recording.inputs ?? {};
  if (!image) throw new Error('no image was recorded');
  const model = await loadUpscaleModel(host, file, signal);
  const larger = rasterToPlanes(imageRaster(await model.upscale(recipe.input(image), signal)));
  return isNear(numbers, 'upscaled_nchw', larger.data) ? 0 : 1;
}
