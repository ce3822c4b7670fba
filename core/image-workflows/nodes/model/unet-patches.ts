/** Changes to the inside of UNets that cost no further run: clearer shapes, larger pictures, less to work out. */
import { deepShrink } from '../../models/patches/deep-shrink.ts';
import { freeU } from '../../models/patches/free-u.ts';
import { RESIZE_METHODS } from '../../models/patches/graph-resize.ts';
import { hyperTile } from '../../models/patches/hyper-tile.ts';
import { tokenMerging } from '../../models/patches/tome-patch.ts';
import { boolean, choice, float, int, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { patchNetwork } from './patch-network.ts';

const shared = { category: 'model_patches/unet', outputs: [output('MODEL')] } as const;

const factor = (value: number) => float({ default: value, min: 0.0, max: 10.0, step: 0.01 });
const share = (value: number, step: number) => float({ default: value, min: 0.0, max: 1.0, step });

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
    'Makes what the UNet works on inside smaller at the beginning of the sampling, so that pictures larger than the model was trained for keep one composition.',
  inputs: {
    model: link('MODEL'),
    block_number: int({ default: 3, min: 1, max: 32, step: 1 }),
    downscale_factor: float({ default: 2.0, min: 0.1, max: 9.0, step: 0.001 }),
    start_percent: share(0.0, 0.001),
    end_percent: share(0.35, 0.001),
    downscale_after_skip: boolean({ default: true }),
    downscale_method: choice(RESIZE_METHODS),
    upscale_method: choice(RESIZE_METHODS),
  },
  async run({ model, ...options }, context) {
    const change = deepShrink(
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
    return [await patchNetwork(model, change, context)];
  },
});

const hyperTileNode = node({
  ...shared,
  name: 'HyperTile',
  module: 'comfy_extras.nodes_hypertile',
  modern: true,
  description:
    'Lets the attention of each place look at its own tile only: large pictures are made faster. How many tiles there are differs from step to step.',
  inputs: {
    model: link('MODEL'),
    tile_size: int({ default: 256, min: 1, max: 2048 }),
    swap_size: int({ default: 2, min: 1, max: 128 }),
    max_depth: int({ default: 0, min: 0, max: 10 }),
    scale_depth: boolean({ default: false }),
  },
  async run({ model, tile_size, swap_size, max_depth, scale_depth }, context) {
    const change = hyperTile({
      tileSize: tile_size,
      swapSize: swap_size,
      maxDepth: max_depth,
      scaleDepth: scale_depth,
    });
    return [await patchNetwork(model, change, context)];
  },
});

const tomePatchModel = node({
  ...shared,
  name: 'TomePatchModel',
  module: 'comfy_extras.nodes_tomesd',
  modern: true,
  description:
    'Lets places that are alike ask once for what attention gives them: pictures are made faster, and lose details as more are merged.',
  inputs: { model: link('MODEL'), ratio: share(0.3, 0.01) },
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
    'Strengthens what comes from the depth of the UNet against the details that are kept beside it. Factors of 1 change nothing.',
  ),
  freeUNode(
    'FreeU_V2',
    true,
    [1.3, 1.4, 0.9, 0.2],
    'As FreeU, but strengthens each place by how much is there. Factors of 1 change nothing.',
  ),
  patchModelAddDownscale,
  hyperTileNode,
  tomePatchModel,
];
