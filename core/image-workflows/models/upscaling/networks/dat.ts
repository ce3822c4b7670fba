/** Chen et al., "Dual aggregation transformer for image super-resolution", 2023, section 3: DAT, DAT-2, DAT-S and light. */
import { batchNorm } from '../../layers/batch-norm.ts';
import { biasedConvolution, channelwise } from '../../layers/convolution.ts';
import { add, channelsFirst, channelsLast, gelu, multiply, slice } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import { channelAttention } from './channel-attention.ts';
import { isShiftedBlock, Rectangles } from './rectangle-attention.ts';
import { addConvolved, swinFrame } from './swin-frame.ts';
import { type UpscalerKind, upscalerNetwork } from './upscaler-network.ts';

const EPSILON = 1e-5;

export const dat: UpscalerKind = {
  name: 'DAT',
  read: (table) =>
    table.has('before_RG.1.weight') && table.has('layers.0.blocks.0.attn.channel_interaction.1.weight')
      ? upscalerNetwork(table, build)
      : undefined,
};

const build = (root: NetworkModule, image: Value) =>
  swinFrame(root, image, {
    multiple: 1,
    firstNorm: 'before_RG.1',
    blocks(start) {
      const rectangles = new Rectangles(root, start);
      let x = start;
      for (const [group, layer] of root.list('layers').entries()) {
        let result = x;
        for (const [index, block] of layer.list('blocks').entries())
          result = transformerBlock(block, result, rectangles, isShiftedBlock(group, index));
        x = addConvolved(layer, x, result);
      }
      return x;
    },
  });

function transformerBlock(m: NetworkModule, x: Value, rectangles: Rectangles, isShifted: boolean): Value {
  const attn = m.at('attn');
  const normed = layerNorm(m.at('norm1'), x);
  const mixed = attn.has('temperature')
    ? acrossChannels(attn, normed)
    : acrossCells(attn, normed, rectangles, isShifted);
  const attended = add(m, x, linear(attn.at('proj'), channelsLast(attn, mixed)));
  return add(m, attended, gatedFeedForward(m.at('ffn'), layerNorm(m.at('norm2'), attended)));
}

/** Window attention and filtered values; each changes the other. Planes [batch, channels, height, width]. */
function acrossCells(m: NetworkModule, x: Value, rectangles: Rectangles, isShifted: boolean): Value {
  const { attended, values } = rectangles.attention(m, x, isShifted);
  const planes = channelsFirst(m, attended);
  const filtered = filteredValues(m, values);
  const byChannel = multiply(m, planes, channelFactors(m.at('channel_interaction'), filtered));
  return add(m, byChannel, multiply(m, filtered, cellFactors(m.at('spatial_interaction'), planes)));
}

function acrossChannels(m: NetworkModule, x: Value): Value {
  const width = m.at('qkv').shape()[0]! / 3;
  const all = channelsFirst(m, linear(m.at('qkv'), x));
  const values = slice(m, all, 1, 2 * width, 3 * width);
  const flat = m.op('Reshape', [all, m.graph.int64Initializer([0, 0, -1])]);
  const parts = [0, 1, 2].map((at) => slice(m, flat, 1, at * width, (at + 1) * width));
  const mixed = channelAttention(m, parts as [Value, Value, Value], width);
  const planes = m.op('Reshape', [mixed, m.op('Shape', [values])]);
  const filtered = filteredValues(m, values);
  const byCell = multiply(m, planes, cellFactors(m.at('spatial_interaction'), filtered));
  return add(m, byCell, multiply(m, filtered, channelFactors(m.at('channel_interaction'), planes)));
}

const filteredValues = (m: NetworkModule, values: Value): Value =>
  gelu(m, batchNorm(m.at('dwconv.1'), channelwise(m.at('dwconv.0'), values), EPSILON));

/** A factor for each channel, from its mean: [batch, channels, 1, 1]. */
function channelFactors(m: NetworkModule, x: Value): Value {
  const fewer = biasedConvolution(m.at('1'), m.op('GlobalAveragePool', [x]));
  return m.op('Sigmoid', [biasedConvolution(m.at('4'), gelu(m, batchNorm(m.at('2'), fewer, EPSILON)))]);
}

/** A factor for each cell: [batch, 1, height, width]. */
function cellFactors(m: NetworkModule, x: Value): Value {
  const fewer = gelu(m, batchNorm(m.at('1'), biasedConvolution(m.at('0'), x), EPSILON));
  return m.op('Sigmoid', [biasedConvolution(m.at('3'), fewer)]);
}

/** Half of the inner channels, filtered, is the gate of the others. */
function gatedFeedForward(m: NetworkModule, x: Value): Value {
  const inner = gelu(m, linear(m.at('fc1'), x));
  const half = m.at('fc1').shape()[0]! / 2;
  const gate = m.at('sg');
  const planes = channelsFirst(gate, layerNorm(gate.at('norm'), slice(gate, inner, -1, half, 2 * half)));
  const filtered = channelsLast(gate, channelwise(gate.at('conv'), planes));
  return linear(m.at('fc2'), multiply(m, slice(m, inner, -1, 0, half), filtered));
}
