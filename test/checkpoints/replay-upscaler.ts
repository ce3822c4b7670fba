import type { Host } from '#core/host';
import { imageRaster, rasterToPlanes } from '#core/image-workflows/images/rasters.ts';
import { loadUpscaleModel } from '#core/image-workflows/models/upscaling/upscale-model.ts';
import { isNear } from './comparison.ts';
import type { RecordedInputs, RecordedNumbers } from './recorded-numbers.ts';

/**
 * Enlarges the recorded image with a file of `models/upscale_models`. Resolves to the number of arrays outside of the
 * tolerance.
 */
export async function replayUpscaler(
  host: Host,
  file: string,
  numbers: RecordedNumbers,
  inputs: RecordedInputs,
): Promise<number> {
  const { signal } = new AbortController();
  const { image } = numbers.recording.inputs ?? {};
  if (!image) throw new Error('no image was recorded');
  const model = await loadUpscaleModel(host, file, signal);
  const larger = rasterToPlanes(imageRaster(await model.upscale(await inputs.input(image), signal)));
  return isNear(numbers, 'upscaled_nchw', larger.data) ? 0 : 1;
}
