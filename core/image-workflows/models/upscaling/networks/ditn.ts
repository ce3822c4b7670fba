/** Liu et al., "Unfolding once is enough: a deployment-friendly transformer unit for super-resolution", 2023: DITN real. */
import { ModelUnsupported } from '#core/host';
import { biasedConvolution, channelwise, convolution } from '../../layers/convolution.ts';
import {
  add,
  channelsFirst,
  channelsLast,
  gelu,
  multiply,
  reshape,
  slice,
  transpose,
} from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { pixelShuffle } from '../../layers/pixel-shuffle.ts';
import { channelAttention } from './channel-attention.ts';
import { COLORS, requireColors, type UpscalerKind, upscalerNetwork } from './upscaler-network.ts';
import { threeParts } from './window-attention.ts';
import { Windows } from './windows.ts';

/** The side of the patches in which channels attend to each other. Weights do not show it. */
const SIDE = 8;
const FAR = 3;

export const ditn: UpscalerKind = {
  name: 'DITN',
  read: (table) =>
    table.has('sft.weight') && table.has('UFONE.0.ITLs.0.attn.temperature')
      ? upscalerNetwork(table, build)
      : undefined,
};

function build(root: NetworkModule, image: Value) {
  const [first, last] = [root.at('sft'), root.at('upsample.0')];
  const scale = Math.sqrt(last.shape()[0]! / COLORS);
  if (!Number.isInteger(scale)) throw new ModelUnsupported('its last layer does not make squares of RGB');
  const [width = 0, colors] = first.shape();
  requireColors(colors, COLORS);
  const start = biasedConvolution(first, image);
  const windows = new Windows(root, channelsLast(root, start), [SIDE, SIDE]);
  let x = start;
  for (const unit of root.list('UFONE')) {
    const cells = windows.split(unit, channelsLast(unit, x), width);
    let patches = reshape(unit, transpose(unit, cells, 0, 2, 1), -1, width, SIDE, SIDE);
    for (const layer of unit.list('ITLs')) patches = unitBlock(layer, patches, 'attn', acrossChannels);
    const flat = transpose(unit, reshape(unit, patches, -1, width, SIDE ** 2), 0, 2, 1);
    x = channelsFirst(unit, windows.join(unit, flat, width));
    for (const layer of unit.list('SALs')) x = unitBlock(layer, x, 'SDA', farFilters);
  }
  const sum = add(root, biasedConvolution(root.at('conv_after_body'), x), start);
  return { larger: pixelShuffle(root, biasedConvolution(last, sum), scale), scale, multiple: SIDE };
}

/** A layer that mixes, and a feed-forward network. */
function unitBlock(
  m: NetworkModule,
  x: Value,
  part: string,
  mix: (m: NetworkModule, x: Value) => Value,
): Value {
  const inner = biasedConvolution(m.at('conv1'), m.op('Tanh', [x]));
  const mixed = add(m, x, mix(m.at(part), inner));
  return add(m, mixed, feedForward(m.at('ffn'), biasedConvolution(m.at('conv2'), m.op('Tanh', [mixed]))));
}

/** On patches [patches, channels, side, side]. */
function acrossChannels(m: NetworkModule, x: Value): Value {
  const width = m.at('qkv').shape()[0]! / 3;
  const cells = transpose(m, reshape(m, x, 0, width, -1), 0, 2, 1);
  const parts = threeParts(m, linear(m.at('qkv'), cells), width).map((part) => transpose(m, part, 0, 2, 1));
  const mixed = channelAttention(m, parts as [Value, Value, Value], width);
  return convolution(m.at('project_out'), reshape(m, mixed, 0, width, SIDE, SIDE));
}

/** A small and a far kernel for each channel, as a factor of the others. */
function farFilters(m: NetworkModule, x: Value): Value {
  const both = biasedConvolution(m.at('proj_first.0'), x);
  const [channels = 0] = m.at('DConvs.0').shape();
  const near = channelwise(m.at('DConvs.0'), slice(m, both, 1, 0, channels));
  const far = biasedConvolution(m.at('DConvs.2'), channelwise(m.at('DConvs.1'), near, FAR));
  const product = multiply(m, slice(m, both, 1, channels, 2 * channels), far);
  return multiply(m, biasedConvolution(m.at('proj_last.0'), product), m.parameter('scale'));
}

/** Half of the inner channels is the gate of the others. Biases are optional. */
export function feedForward(m: NetworkModule, x: Value): Value {
  const inner = channelwise(m.at('dwconv'), convolution(m.at('project_in'), x));
  const half = m.at('dwconv').shape()[0]! / 2;
  const gate = gelu(m, slice(m, inner, 1, 0, half));
  return convolution(m.at('project_out'), multiply(m, gate, slice(m, inner, 1, half, 2 * half)));
}
