/** Encoding and decoding of large images in tiles. */
import {
  imageRaster,
  mapRaster,
  planesToRaster,
  type Raster,
  rasterToImage,
  rasterToPlanes,
} from '../../images/rasters.ts';
import { clamp01 } from '../../images/rounding.ts';
import { cropToMultiple } from '../../models/vae/center-crop.ts';
import { processInTiles, tileCount, tilings } from '../../models/vae/vae-tiles.ts';
import { int, link } from '../kernel/inputs.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const shared = { category: '_for_testing', module: 'nodes' } as const;
const overlap = () => int({ default: 64, min: 0, max: 4096, step: 32 });
/** Inputs for videos, which have no effect on images. */
const temporal = {
  temporal_size: int({ default: 64, min: 8, max: 4096, step: 4 }),
  temporal_overlap: int({ default: 8, min: 4, max: 4096, step: 4 }),
};

/**
 * Runs `change` on overlapping tiles and blends the results.
 * @param size Side of a tile, in pixels of `image`. `overlap` has the same unit.
 * @param scale Sides of a result divided by those of its tile.
 */
async function changeTiles(
  image: Raster,
  size: number,
  overlap: number,
  scale: number,
  change: (tile: Raster) => Promise<Raster>,
  { progress, signal }: NodeContext,
): Promise<Raster> {
  const all = tilings(size, overlap);
  const count = tileCount(image, all);
  let done = 0;
  return processInTiles(image, all, scale, async (tile) => {
    signal.throwIfAborted();
    const changed = await change(tile);
    await progress(++done, count);
    return changed;
  });
}

const decodeTiled = node({
  ...shared,
  name: 'VAEDecodeTiled',
  displayName: 'VAE Decode (Tiled)',
  description:
    'Decodes latents to images in tiles that blend into one another, for sizes that do not fit in memory.',
  inputs: {
    samples: link('LATENT', undefined),
    vae: link('VAE', undefined),
    tile_size: int({ default: 512, min: 64, max: 4096, step: 32 }),
    overlap: overlap(),
    ...temporal,
  },
  outputs: [output('IMAGE')],
  async run({ samples, vae, tile_size, overlap }, context) {
    const shared = tile_size < overlap * 4 ? Math.floor(tile_size / 4) : overlap;
    const cells = (pixels: number) => Math.floor(pixels / vae.scale);
    const decode = async (tile: Raster) =>
      imageRaster(await vae.decode(rasterToPlanes(tile), context.signal, { isWhole: false }));
    const raster = planesToRaster(samples.samples);
    const decoded = await changeTiles(raster, cells(tile_size), cells(shared), vae.scale, decode, context);
    return [rasterToImage(mapRaster(decoded, clamp01))];
  },
});

const encodeTiled = node({
  ...shared,
  name: 'VAEEncodeTiled',
  displayName: 'VAE Encode (Tiled)',
  description:
    'Encodes images as latents in tiles that blend into one another, for sizes that do not fit in memory.',
  inputs: {
    pixels: link('IMAGE', undefined),
    vae: link('VAE', undefined),
    tile_size: int({ default: 512, min: 64, max: 4096, step: 64 }),
    overlap: overlap(),
    ...temporal,
  },
  outputs: [output('LATENT')],
  async run({ pixels, vae, tile_size, overlap }, context) {
    const encode = async (tile: Raster) =>
      planesToRaster(await vae.encode(rasterToImage(tile), context.signal));
    const raster = cropToMultiple(imageRaster(pixels), vae.scale);
    // A whole number of cells, so that each tile begins at a cell's edge.
    const even = Math.floor(Math.min(overlap, tile_size / 4) / vae.scale) * vae.scale;
    const encoded = await changeTiles(raster, tile_size, even, 1 / vae.scale, encode, context);
    return [{ samples: rasterToPlanes(encoded) }];
  },
});

export const vaeTiledNodes: AnyNode[] = [decodeTiled, encodeTiled];
