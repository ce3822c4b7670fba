/** Liang et al., "SwinIR: Image restoration using Swin Transformer", 2021, section 3. */
import { biasedConvolution } from '../../layers/convolution.ts';
import { add, gelu, leakyRelu, scaled, transpose } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import { pixelUnshuffle } from '../../layers/pixel-shuffle.ts';
import { renamed } from '../../weight-files/weight-table.ts';
import { activated, type Enlarged, enlargeByRepeating, enlargeByShuffling } from './enlarging-layers.ts';
import { COLORS, requireColors, type UpscalerKind, upscalerNetwork } from './upscaler-network.ts';
import { Windows } from './windows.ts';

/** Mean colour of the images that the networks were trained with. */
const MEAN = [0.4488, 0.4371, 0.404];
/** Networks against JPEG artifacts have windows of this side, and take colours in 0..255. */
const JPEG_SIDE = 7;
const JPEG_RANGE = 255;
/** The slope of the layer before pixels are shuffled. */
const SLOPE_BEFORE = 0.01;
const TABLE = 'layers.0.residual_group.blocks.0.attn.relative_position_bias_table';

/** SwinIR for larger images, against noise and against JPEG artifacts. */
export const swinIr: UpscalerKind = {
  name: 'SwinIR',
  read(table) {
    // HAT has the same blocks, and others between them.
    if (!table.has(TABLE) || table.has('layers.0.residual_group.overlap_attn.qkv.weight')) return undefined;
    // A layer that takes squares of pixels follows the one that makes them.
    const weights = renamed(table, (name) => name.replace(/^conv_first\.1\./, 'conv_first.'));
    return upscalerNetwork(weights, build);
  },
};

function build(root: NetworkModule, image: Value): { larger: Value; scale: number; multiple: number } {
  const first = root.at('conv_first');
  const side = Math.sqrt((first.shape()[1] ?? 0) / COLORS);
  requireColors(Number.isInteger(side) ? COLORS : first.shape()[1], outputChannels(root));
  const [rows = 0] = root.shape(TABLE);
  const windowSide = (Math.sqrt(rows) + 1) / 2;
  const range = windowSide === JPEG_SIDE ? JPEG_RANGE : 1;
  const mean = root.graph.floatInitializer('mean', [1, COLORS, 1, 1], MEAN);
  const centered = scaled(root, root.op('Sub', [image, mean]), range);
  const shallow = biasedConvolution(first, pixelUnshuffle(first, centered, COLORS, side));
  const features = add(root, residual(root.at('conv_after_body'), deep(root, shallow, windowSide)), shallow);
  const { x, scale } = enlarged(root, features, centered);
  const larger = root.op('Add', [scaled(root, x, 1 / range), mean]);
  return { larger, scale: scale / side, multiple: windowSide * side };
}

/** Without a last layer, their number follows from the factor of the shuffled pixels. */
const outputChannels = (root: NetworkModule): number =>
  root.at('conv_last').exists() ? root.at('conv_last').shape()[0]! : COLORS;

/** The blocks of the network, on [batch, height, width, channels]. */
function deep(root: NetworkModule, shallow: Value, windowSide: number): Value {
  let x = transpose(root, shallow, 0, 2, 3, 1);
  const windows = new Windows(root, x, windowSide);
  const norm = root.at('patch_embed.norm');
  if (norm.exists()) x = layerNorm(norm, x);
  for (const layer of root.list('layers')) {
    let result = x;
    for (const [index, block] of layer.list('residual_group.blocks').entries())
      result = transformerBlock(block, result, windows, index % 2 === 1);
    const planes = residual(layer.at('conv'), transpose(layer, result, 0, 3, 1, 2));
    x = add(layer, x, transpose(layer, planes, 0, 2, 3, 1));
  }
  return transpose(root, layerNorm(root.at('norm'), x), 0, 3, 1, 2);
}

function transformerBlock(m: NetworkModule, x: Value, windows: Windows, isShifted: boolean): Value {
  const attended = add(m, x, windows.attention(m.at('attn'), layerNorm(m.at('norm1'), x), isShifted));
  const inner = linear(m.at('mlp.fc1'), layerNorm(m.at('norm2'), attended));
  return add(m, attended, linear(m.at('mlp.fc2'), gelu(m, inner)));
}

/** One convolution, or three with fewer channels between them. */
function residual(m: NetworkModule, x: Value): Value {
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
