/** Chen et al., "Activating more pixels in image super-resolution transformer", 2023, section 3. */
import { attend } from '../../layers/attention.ts';
import { biasedConvolution } from '../../layers/convolution.ts';
import { add, channelsFirst, channelsLast, gelu, multiply, relu, scaled } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import { addConvolved, swinFrame } from './swin-frame.ts';
import { type UpscalerKind, upscalerNetwork } from './upscaler-network.ts';
import {
  type DistanceRows,
  distanceBias,
  swinFeedForward,
  threeParts,
  windowAttention,
  windowSide,
} from './window-attention.ts';
import { Windows } from './windows.ts';

const TABLE = 'layers.0.residual_group.blocks.0.attn.relative_position_bias_table';
const OVERLAP = 'layers.0.residual_group.overlap_attn';
/** How much of the channel attention is added. */
const CHANNEL_SHARE = 0.01;

export const hat: UpscalerKind = {
  name: 'HAT',
  read: (table) =>
    table.has(TABLE) && table.has(`${OVERLAP}.qkv.weight`) ? upscalerNetwork(table, build) : undefined,
};

function build(root: NetworkModule, image: Value) {
  const side = windowSide(root.shape(TABLE)[0]!);
  return swinFrame(root, image, {
    multiple: side,
    blocks(start) {
      const windows = new Windows(root, start, [side, side]);
      return root.list('layers').reduce((x, layer) => group(layer, x, windows), start);
    },
  });
}

function group(m: NetworkModule, start: Value, windows: Windows): Value {
  let x = start;
  for (const [index, block] of m.list('residual_group.blocks').entries())
    x = hybridBlock(block, x, windows, index % 2 === 1);
  return addConvolved(m, start, overlapBlock(m.at('residual_group.overlap_attn'), x, windows));
}

/** Window attention and channel attention next to each other. */
function hybridBlock(m: NetworkModule, x: Value, windows: Windows, isShifted: boolean): Value {
  const normed = layerNorm(m.at('norm1'), x);
  const channels = channelsLast(m, channelAttention(m.at('conv_block.cab'), channelsFirst(m, normed)));
  const attended = add(m, x, windowAttention(m.at('attn'), normed, windows, isShifted));
  return addFeedForward(m, add(m, attended, scaled(m, channels, CHANNEL_SHARE)));
}

const addFeedForward = (m: NetworkModule, x: Value): Value =>
  add(m, x, swinFeedForward(m.at('mlp'), layerNorm(m.at('norm2'), x)));

/** Two convolutions, and a factor for each channel that follows from its mean. */
function channelAttention(m: NetworkModule, x: Value): Value {
  const filtered = biasedConvolution(m.at('2'), gelu(m, biasedConvolution(m.at('0'), x)));
  const factors = m.at('3.attention');
  const fewer = relu(factors, biasedConvolution(factors.at('1'), m.op('GlobalAveragePool', [filtered])));
  return multiply(m, filtered, m.op('Sigmoid', [biasedConvolution(factors.at('3'), fewer)]));
}

/** Attention of each window to a larger window around it. */
function overlapBlock(m: NetworkModule, x: Value, windows: Windows): Value {
  const [side] = windows.sides;
  const [rows = 0, heads = 1] = m.shape('relative_position_bias_table');
  const larger = Math.sqrt(rows) + 1 - side;
  const [width = 0] = m.at('proj').shape();
  const [query, key, value] = threeParts(m, linear(m.at('qkv'), layerNorm(m.at('norm1'), x)), width);
  const around = [key, value].map((part) => windows.overlapping(m, part, width, larger)) as [Value, Value];
  const mask = distanceBias(m, m.parameter('relative_position_bias_table'), overlapRows(side, larger), heads);
  const mixed = windows.each(m, [{ x: query, channels: width }], false, width, (cells) =>
    attend(m, [cells, ...around], width, { heads, isDecomposed: true, mask }),
  );
  return addFeedForward(m, add(m, linear(m.at('proj'), mixed), x));
}

/**
 * The table's row for each cell of a window and of the larger one around it. The published networks count from a
 * distance that is not the smallest one: rows before the first are those at the table's end.
 */
function overlapRows(side: number, larger: number): DistanceRows {
  const [queries, keys] = [side ** 2, larger ** 2];
  const [width, first] = [side + larger - 1, side - larger + 1];
  const rows = Array.from({ length: queries * keys }, (_, at) => {
    const [query, key] = [Math.floor(at / keys), at % keys];
    const y = Math.floor(key / larger) - Math.floor(query / side) + first;
    const row = y * width + (key % larger) - (query % side) + first;
    return row < 0 ? row + width ** 2 : row;
  });
  return { rows, queries, keys };
}
