/** Graph patches for UNets that need no additional run of the network: FreeU, Deep Shrink, HyperTile, token merging. */
import { deepShrink } from '../../models/patches/deep-shrink.ts';
import { freeU } from '../../models/patches/free-u.ts';
import { RESIZE_METHODS } from '../../models/patches/graph-resize.ts';
import { hyperTile } from '../../models/patches/hyper-tile.ts';
import { tokenMerging } from '../../models/patches/tome-patch.ts';
import { fraction } from '../kernel/common-inputs.ts';
import { boolean, choice, float, int, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { patchNetwork } from './patch-network.ts';

const shared = { category: 'model_patches/unet', outputs: [output('MODEL')] } as const;

const factor = (value: number) => float({ default: value, min: 0.0, max: 10.0, step: 0.01 });

const freeUNode = (
  name: string,
  structured: boolean,
  [b1, b2, s1, s2]: readonly [number, number, number, number],
  description: string,
): AnyNode =>
  node({
    ...shared,
    name,
    displayName: name,
    module: 'comfy_extras.nodes_freelunch',
    description,
    inputs: {
      model: link('MODEL', undefined),
      b1: factor(b1),
      b2: factor(b2),
      s1: factor(s1),
      s2: factor(s2),
    },
    async run({ model, ...factors }, context) {
      return [await patchNetwork(model, freeU(factors, structured), context)];
    },
  });

const patchModelAddDownscale = node({
  ...shared,
  name: 'PatchModelAddDownscale',
  displayName: 'PatchModelAddDownscale (Kohya Deep Shrink)',
  module: 'comfy_extras.nodes_model_downscale',
  modern: true,
  description:
    'Shrinks the inner resolution of a UNet at the beginning of the sampling. Images larger than the training size then keep one composition.',
  inputs: {
    model: link('MODEL'),
    block_number: int({ default: 3, min: 1, max: 32, step: 1 }),
    downscale_factor: float({ default: 2.0, min: 0.1, max: 9.0, step: 0.001 }),
    start_percent: fraction(0.0),
    end_percent: fraction(0.35),
    downscale_after_skip: boolean({ default: true }),
    downscale_method: choice(RESIZE_METHODS),
    upscale_method: choice(RESIZE_METHODS),
  },
  async run({ model, ...options }, context) {
    const patch = deepShrink(
      {
        block: options.block_number,
        factor: options.downscale_factor,
        start: options.start_percent,
        end: options.end_percent,
        afterSkip: options.downscale_after_skip,
        down: options.downscale_method,
        up: options.upscale_method,
      },
      model.sampling,
    );
    return [await patchNetwork(model, patch, context)];
  },
});

const hyperTileNode = node({
  ...shared,
  name: 'HyperTile',
  module: 'comfy_extras.nodes_hypertile',
  modern: true,
  description:
    'Limits the attention of each position to its own tile, which makes large images faster. The number of tiles differs from step to step.',
  inputs: {
    model: link('MODEL'),
    tile_size: int({ default: 256, min: 1, max: 2048 }),
    swap_size: int({ default: 2, min: 1, max: 128 }),
    max_depth: int({ default: 0, min: 0, max: 10 }),
    scale_depth: boolean({ default: false }),
  },
  async run({ model, tile_size, swap_size, max_depth, scale_depth }, context) {
    const patch = hyperTile({
      tileSize: tile_size,
      swapSize: swap_size,
      maxDepth: max_depth,
      scaleDepth: scale_depth,
    });
    return [await patchNetwork(model, patch, context)];
  },
});

const tomePatchModel = node({
  ...shared,
  name: 'TomePatchModel',
  module: 'comfy_extras.nodes_tomesd',
  modern: true,
  description:
    'Merges similar positions before the attention, which makes images faster. The more positions are merged, the more details are lost.',
  inputs: { model: link('MODEL'), ratio: fraction(0.3, 0.01) },
  async run({ model, ratio }, context) {
    if (ratio === 0) return [model];
    return [await patchNetwork(model, tokenMerging(ratio), context)];
  },
});

export const unetPatchNodes: AnyNode[] = [
  freeUNode(
    'FreeU',
    false,
    [1.1, 1.2, 0.9, 0.2],
    'Strengthens the features of the deep UNet blocks against those of the skip connections. Factors of 1 change nothing.',
  ),
  freeUNode(
    'FreeU_V2',
    true,
    [1.3, 1.4, 0.9, 0.2],
    'As FreeU, but scales each position by its own activation. Factors of 1 change nothing.',
  ),
  patchModelAddDownscale,
  hyperTileNode,
  tomePatchModel,
];
