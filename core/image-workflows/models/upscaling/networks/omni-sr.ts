/** Wang et al., "Omni aggregation networks for lightweight image super-resolution", 2023, section 3. */
import { ModelUnsupported } from '#core/host';
import { attend } from '../../layers/attention.ts';
import { biasedConvolution, channelwise, convolution } from '../../layers/convolution.ts';
import {
  add,
  channelsFirst,
  channelsLast,
  dimensions,
  gelu,
  multiply,
  silu,
  slice,
  transpose,
} from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { layerNorm, planesNorm } from '../../layers/norms.ts';
import { pixelShuffle } from '../../layers/pixel-shuffle.ts';
import { CellGroups } from './cell-groups.ts';
import { channelAttention } from './channel-attention.ts';
import { feedForward } from './ditn.ts';
import { PaddedSides } from './padded-sides.ts';
import { COLORS, requireColors, type UpscalerKind, upscalerNetwork } from './upscaler-network.ts';
import { distanceBias, distanceRows, threeParts, windowSide } from './window-attention.ts';

const FIRST = 'residual_layer.0.residual_layer.0.layer';
const TABLE = `${FIRST}.2.fn.rel_pos_bias.weight`;
/** The side of windows, where no table shows it. */
const SIDE = 8;
const HEADS = 4;
const EPSILON = 1e-6;
/** The network makes a small map of the image, for which smaller sides do not suffice. */
const MINIMUM = 16;

export const omniSr: UpscalerKind = {
  name: 'OmniSR',
  read: (table) =>
    table.has('input.weight') && table.has(`${FIRST}.2.fn.to_qkv.weight`)
      ? upscalerNetwork(table, build)
      : undefined,
};

function build(root: NetworkModule, image: Value) {
  const [first, last] = [root.at('input'), root.at('up.0')];
  const scale = Math.sqrt(last.shape()[0]! / COLORS);
  if (!Number.isInteger(scale)) throw new ModelUnsupported('its last layer does not make squares of RGB');
  requireColors(first.shape()[1], COLORS);
  const side = root.has(TABLE) ? windowSide(root.shape(TABLE)[0]!) : SIDE;
  const sides = new PaddedSides(root, image, 2, side);
  const start = convolution(first, sides.pad(root, image));
  const groups = new CellGroups(root, start, side);
  let x = start;
  for (const layer of root.list('residual_layer')) {
    let result = x;
    const blocks = layer.list('residual_layer');
    for (const block of blocks.slice(0, -1)) result = omniBlock(block.at('layer'), result, groups);
    x = spatialFactors(layer.at('esa'), add(layer, convolution(blocks.at(-1)!, result), x));
  }
  const features = add(root, convolution(root.at('output'), x), start);
  const larger = sides.crop(root, pixelShuffle(root, convolution(last, features), scale), scale);
  return { larger, scale, multiple: 1, minimum: MINIMUM };
}

/** Attention of cells and of channels, in windows and in grids. Planes [batch, channels, height, width]. */
function omniBlock(m: NetworkModule, start: Value, groups: CellGroups): Value {
  let x = localBlock(m.at('0.fn'), start);
  x = acrossCells(m.at('2'), x, groups, 'window');
  x = normed(m.at('4'), x, feedForward);
  x = normed(m.at('5'), x, (part, value) => acrossChannels(part, value, groups, 'window'));
  x = normed(m.at('6'), x, feedForward);
  x = acrossCells(m.at('8'), x, groups, 'grid');
  x = normed(m.at('10'), x, feedForward);
  x = normed(m.at('11'), x, (part, value) => acrossChannels(part, value, groups, 'offset'));
  return normed(m.at('12'), x, feedForward);
}

const normed = (m: NetworkModule, x: Value, mix: (m: NetworkModule, x: Value) => Value): Value =>
  add(m, mix(m.at('fn'), planesNorm(m.at('norm'), x, EPSILON)), x);

/** Convolutions, and a factor for each channel that follows from its mean. */
function localBlock(m: NetworkModule, x: Value): Value {
  const inner = gelu(m, convolution(m.at('0'), x));
  const filtered = gelu(m, channelwise(m.at('2'), inner));
  const gate = m.at('4.gate');
  const mean = channelsLast(gate, gate.op('GlobalAveragePool', [filtered]));
  const factors = linear(gate.at('3'), silu(gate, linear(gate.at('1'), mean)));
  const scaled = multiply(m, filtered, channelsFirst(gate, gate.op('Sigmoid', [factors])));
  return add(m, convolution(m.at('5'), scaled), x);
}

function acrossCells(m: NetworkModule, x: Value, groups: CellGroups, kind: 'window' | 'grid'): Value {
  const cells = channelsLast(m, x);
  const attention = m.at('fn');
  const [width = 0] = attention.at('to_out.0').shape();
  const table = attention.at('rel_pos_bias');
  const rows = distanceRows([groups.side, groups.side], [groups.side, groups.side]);
  const heads = table.exists() ? table.shape()[1]! : HEADS;
  const mask = table.exists() ? distanceBias(table, table.parameter(), rows, heads) : undefined;
  const tokens = groups.split(m, layerNorm(m.at('norm'), cells), width, kind);
  const parts = threeParts(m, linear(attention.at('to_qkv'), tokens), width);
  const mixed = attend(attention, parts, width, { heads, isDecomposed: true, ...(mask && { mask }) });
  const joined = groups.join(m, linear(attention.at('to_out.0'), mixed), width, kind);
  return channelsFirst(m, add(m, joined, cells));
}

function acrossChannels(m: NetworkModule, x: Value, groups: CellGroups, kind: 'window' | 'offset'): Value {
  const all = channelwise(m.at('qkv_dwconv'), convolution(m.at('qkv'), x));
  const width = m.at('qkv').shape()[0]! / 3;
  const tokens = transpose(m, groups.split(m, channelsLast(m, all), 3 * width, kind), 0, 2, 1);
  const parts = [0, 1, 2].map((at) => slice(m, tokens, 1, at * width, (at + 1) * width));
  const mixed = channelAttention(m, parts as [Value, Value, Value], width);
  const joined = groups.join(m, transpose(m, mixed, 0, 2, 1), width, kind);
  return convolution(m.at('project_out'), channelsFirst(m, joined));
}

/** Liu et al., "Residual feature aggregation network", 2020, section 3.3: a factor for each cell and channel. */
function spatialFactors(m: NetworkModule, x: Value): Value {
  const fewer = biasedConvolution(m.at('conv1'), x);
  const halved = biasedConvolution(m.at('conv2'), fewer, { stride: 2, padding: { start: 0, end: 0 } });
  const pooled = m.op('MaxPool', [halved], { kernel_shape: [7, 7], strides: [3, 3] });
  const small = biasedConvolution(m.at('conv3'), pooled);
  const sizes = m.op('Concat', [dimensions(m, small, 0, 2), dimensions(m, x, 2, 4)], { axis: 0 });
  const larger = m.op('Resize', [small, '', '', sizes], {
    mode: 'linear',
    coordinate_transformation_mode: 'half_pixel',
  });
  const sum = add(m, larger, biasedConvolution(m.at('conv_f'), fewer));
  return multiply(m, x, m.op('Sigmoid', [biasedConvolution(m.at('conv4'), sum)]));
}
