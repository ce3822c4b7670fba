/** The first and the last layers that SwinIR shares with the networks after it. */
import { biasedConvolution } from '../../layers/convolution.ts';
import { add, channelsFirst, channelsLast, leakyRelu, scaled } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import { pixelUnshuffle } from '../../layers/pixel-shuffle.ts';
import { activated, type Enlarged, enlargeByRepeating, enlargeByShuffling } from './enlarging-layers.ts';
import { COLORS, requireColors } from './upscaler-network.ts';

/** Mean colour of the images that the networks were trained with. */
const MEAN = [0.4488, 0.4371, 0.404];
/** The slope of the layer before pixels are shuffled. */
export const SLOPE_BEFORE = 0.01;

export interface SwinFrame {
  /** Networks take colours up to this. Default: 1. */
  range?: number;
  /** Sides of the features are multiples of this. */
  multiple: number;
  /** The layer norm before the blocks. Default: `patch_embed.norm`, if it is stored. */
  firstNorm?: string;
  /** The blocks of the network, on [batch, height, width, channels]. */
  blocks: (x: Value) => Value;
  /** The layers after the blocks. Default: those of SwinIR. */
  enlarge?: (features: Value, centered: Value) => Enlarged;
}

/** Builds a network of SwinIR's layout: `conv_first`, blocks, `norm`, `conv_after_body`, and the layers that enlarge. */
export function swinFrame(root: NetworkModule, image: Value, frame: SwinFrame) {
  const { range = 1, multiple, blocks, firstNorm = 'patch_embed.norm' } = frame;
  const first = root.at('conv_first');
  const side = Math.sqrt((first.shape()[1] ?? 0) / COLORS);
  requireColors(Number.isInteger(side) ? COLORS : first.shape()[1], outputChannels(root));
  const mean = root.graph.floatInitializer('mean', [1, COLORS, 1, 1], MEAN);
  const centered = scaled(root, root.op('Sub', [image, mean]), range);
  const shallow = biasedConvolution(first, pixelUnshuffle(first, centered, COLORS, side));
  const projection = root.at('patch_embed.proj');
  const projected = projection.exists() ? biasedConvolution(projection, shallow) : shallow;
  const cells = channelsLast(root, projected);
  const norm = root.at(firstNorm);
  const deep = blocks(norm.exists() ? layerNorm(norm, cells) : cells);
  const planes = channelsFirst(root, layerNorm(root.at('norm'), deep));
  const features = add(root, residualConvolution(root.at('conv_after_body'), planes), shallow);
  const { x, scale } = (frame.enlarge ?? ((value, small) => enlarged(root, value, small)))(
    features,
    centered,
  );
  const larger = root.op('Add', [scaled(root, x, 1 / range), mean]);
  return { larger, scale: scale / side, multiple: multiple * side };
}

/** `x` and the result of a layer's convolution of `result`. [batch, height, width, channels] */
export function addConvolved(m: NetworkModule, x: Value, result: Value, conv = m.at('conv')): Value {
  return add(m, x, channelsLast(m, residualConvolution(conv, channelsFirst(m, result))));
}

/** Without a last layer, their number follows from the factor of the shuffled pixels. */
const outputChannels = (root: NetworkModule): number =>
  root.at('conv_last').exists() ? root.at('conv_last').shape()[0]! : COLORS;

/** One convolution, or three with fewer channels between them. */
function residualConvolution(m: NetworkModule, x: Value): Value {
  if (m.has('weight')) return biasedConvolution(m, x);
  return biasedConvolution(m.at('4'), activated(m.at('2'), activated(m.at('0'), x)));
}

/** @param centered the image. Networks that do not enlarge it compute a difference to it. */
function enlarged(root: NetworkModule, features: Value, centered: Value): Enlarged {
  const before = root.at('conv_before_upsample.0');
  if (!before.exists()) {
    if (root.at('upsample').exists()) return enlargeByShuffling(root, features, COLORS);
    return { x: add(root, centered, biasedConvolution(root.at('conv_last'), features)), scale: 1 };
  }
  const x = leakyRelu(before, biasedConvolution(before, features), SLOPE_BEFORE);
  if (root.at('conv_up1').exists()) return enlargeByRepeating(root, x);
  const shuffled = enlargeByShuffling(root, x);
  return { x: biasedConvolution(root.at('conv_last'), shuffled.x), scale: shuffled.scale };
}
