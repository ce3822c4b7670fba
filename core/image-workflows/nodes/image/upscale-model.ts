/** Nodes that enlarge images with a model. */
import { OutOfMemory } from '#core/host';
import { processTiles, tileStarts } from '../../images/operations/tiles.ts';
import {
  concatBatches,
  imageRaster,
  mapRaster,
  type Raster,
  rasterAt,
  rasterToImage,
  withChannels,
} from '../../images/rasters.ts';
import { clamp01 } from '../../images/rounding.ts';
import { loadUpscaleModel, upscaleModelNames } from '../../models/upscaling/upscale-model.ts';
import type { UpscaleModel } from '../../values/image-models.ts';
import { choice, link } from '../kernel/inputs.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { modelFingerprint } from '../model/model-fingerprint.ts';

const module = 'comfy_extras.nodes_upscale_model';

const upscaleModelLoader = node({
  name: 'UpscaleModelLoader',
  displayName: 'Load Upscale Model',
  category: 'loaders',
  module,
  description:
    'Loads a model of the folder upscale_models, which enlarges images: weights, or an ONNX graph.',
  modern: true,
  fingerprint: modelFingerprint('upscale_models', ['model_name']),
  inputs: { model_name: choice(upscaleModelNames) },
  outputs: [output('UPSCALE_MODEL')],
  run: async ({ model_name }, { host, signal }) => [await loadUpscaleModel(host, model_name, signal)],
});

/** Sides of tiles, and their overlap, in pixels of the small image. */
const LARGEST_TILE = 512;
const SMALLEST_TILE = 128;
const OVERLAP = 32;

const imageUpscaleWithModel = node({
  name: 'ImageUpscaleWithModel',
  displayName: 'Upscale Image (using Model)',
  category: 'image/upscaling',
  module,
  description: 'Enlarges images with a model, in tiles that blend into one another.',
  modern: true,
  inputs: { upscale_model: link('UPSCALE_MODEL'), image: link('IMAGE') },
  outputs: [output('IMAGE')],
  async run({ upscale_model, image }, context) {
    const raster = withChannels(imageRaster(image), 3);
    for (let size = LARGEST_TILE; ; size /= 2) {
      try {
        return [rasterToImage(await upscaleAll(upscale_model, raster, size, context))];
      } catch (error) {
        // Smaller tiles need less memory.
        if (!(error instanceof OutOfMemory) || size <= SMALLEST_TILE) throw error;
      }
    }
  },
});

async function upscaleAll(
  model: UpscaleModel,
  image: Raster,
  size: number,
  context: NodeContext,
): Promise<Raster> {
  const tiles =
    tileStarts(image.width, size, OVERLAP).length * tileStarts(image.height, size, OVERLAP).length;
  const results: Raster[] = [];
  let done = 0;
  for (let index = 0; index < image.batch; index++)
    results.push(
      await processTiles(
        rasterAt(image, index),
        { size, overlap: OVERLAP, scale: model.scale },
        async (tile) => {
          const larger = await model.upscale(rasterToImage(tile), context.signal);
          await context.progress(++done, tiles * image.batch);
          return mapRaster(imageRaster(larger), clamp01);
        },
      ),
    );
  return concatBatches(results);
}

export const imageUpscaleModelNodes: AnyNode[] = [upscaleModelLoader, imageUpscaleWithModel];
