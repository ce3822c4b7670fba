/** Nodes that join any number of images, masks or latents to one batch. */
import {
  concatBatches,
  imageRaster,
  maskRaster,
  type Raster,
  rasterToImage,
  rasterToMask,
  withChannels,
} from '../../images/rasters.ts';
import { resizeSteps } from '../../images/resize/resize.ts';
import { runYielding } from '../../yielding/steps.ts';
import { group } from '../kernel/dynamic-inputs.ts';
import { link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { joinBatches } from '../latent/batch.ts';

const shared = { module: 'comfy_extras.nodes_post_processing', modern: true } as const;
const members = (prefix: string) => ({ prefix, min: 2, max: 50 });

/** Joins batches. Each has the size of the first, and as many channels as the one with most of them. */
async function join(rasters: readonly Raster[], signal: AbortSignal): Promise<Raster> {
  const { width, height } = rasters[0]!;
  const channels = Math.max(...rasters.map((raster) => raster.channels));
  const fitted: Raster[] = [];
  for (const raster of rasters) {
    const isFitting = raster.width === width && raster.height === height;
    const steps = () => resizeSteps(withChannels(raster, channels), width, height, 'bilinear', 'center');
    fitted.push(isFitting ? withChannels(raster, channels) : await runYielding(steps(), signal));
  }
  return concatBatches(fitted);
}

export const anyNumberNodes: AnyNode[] = [
  node({
    ...shared,
    name: 'BatchImagesNode',
    displayName: 'Batch Images',
    category: 'image/batch',
    description: 'Joins images to one batch. All get the size of the first.',
    inputs: { images: group('image', link('IMAGE'), members('image')) },
    outputs: [output('IMAGE')],
    run: async ({ images }, { signal }) => [
      rasterToImage(await join(Object.values(images).map(imageRaster), signal)),
    ],
  }),
  node({
    ...shared,
    name: 'BatchMasksNode',
    displayName: 'Batch Masks',
    category: 'mask',
    description: 'Joins masks to one batch. All get the size of the first.',
    inputs: { masks: group('mask', link('MASK'), members('mask')) },
    outputs: [output('MASK')],
    run: async ({ masks }, { signal }) => [
      rasterToMask(await join(Object.values(masks).map(maskRaster), signal)),
    ],
  }),
  node({
    ...shared,
    name: 'BatchLatentsNode',
    displayName: 'Batch Latents',
    category: 'latent',
    description: 'Joins latents to one batch. All get the size of the first.',
    inputs: { latents: group('latent', link('LATENT'), members('latent')) },
    outputs: [output('LATENT')],
    run: ({ latents }) => [Object.values(latents).reduce(joinBatches)],
  }),
];
