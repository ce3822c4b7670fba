/**
 * The vocoder of ACE-Step: audio of the loudness of bands. Sources: Gong et al., "ACE-Step", 2025, section 3; Liu et al.,
 * "A ConvNet for the 2020s", 2022; Kong et al., "HiFi-GAN", 2020.
 */
import { add, gelu, multiply, scaled, silu, transpose } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import { kernelLength, sequenceConvolution } from '../../layers/sequence-convolution.ts';

const EPSILON = 1e-6;
/** How far the steps of the kernels lie apart, for the convolutions of a residual block. */
const DILATIONS = [1, 3, 5];

/** [batch, bands, steps] to [batch, 1, samples], -1 to 1. */
export const vocoder = (m: NetworkModule, bands: Value): Value =>
  generator(m.at('head'), backbone(m.at('backbone'), bands));

const swapped = (m: NetworkModule, x: Value): Value => transpose(m, x, 0, 2, 1);

/** A norm over the channels of [batch, channels, steps]. */
const channelNorm = (m: NetworkModule, x: Value): Value => swapped(m, layerNorm(m, swapped(m, x), EPSILON));

function backbone(m: NetworkModule, bands: Value): Value {
  let x = bands;
  const stages = m.list('stages');
  for (const [index, layer] of m.list('channel_layers').entries()) {
    const [first, second] = [layer.at('0'), layer.at('1')];
    x =
      index === 0
        ? channelNorm(second, edgeConvolution(first, x))
        : sequenceConvolution(second, channelNorm(first, x));
    for (const block of stages[index]?.list() ?? []) x = nextBlock(block, x);
  }
  return channelNorm(m.at('norm'), x);
}

/** The first and the last step stand for those outside. */
function edgeConvolution(m: NetworkModule, x: Value): Value {
  const { graph } = m;
  const padding = Math.floor((m.shape()[2] ?? 1) / 2);
  const padded = m.op('Pad', [x, graph.int64Initializer([0, 0, padding, 0, 0, padding])], { mode: 'edge' });
  return sequenceConvolution(m, padded);
}

function nextBlock(m: NetworkModule, x: Value): Value {
  const [channels = 1, , kernel = 1] = m.at('dwconv').shape();
  const filtered = sequenceConvolution(m.at('dwconv'), x, { groups: channels, padding: (kernel - 1) / 2 });
  const normed = layerNorm(m.at('norm'), swapped(m, filtered), EPSILON);
  const inner = linear(m.at('pwconv2'), gelu(m, linear(m.at('pwconv1'), normed)));
  return add(m, x, swapped(m, multiply(m, inner, m.parameter('gamma'))));
}

/** A convolution that keeps the number of steps. */
const sameLength = (m: NetworkModule, x: Value, dilation = 1): Value =>
  sequenceConvolution(m, x, { dilation, padding: (dilation * (kernelLength(m) - 1)) / 2 });

/** Each of the steps becomes half a kernel of samples. The means of the residual blocks of a level go on. */
function generator(m: NetworkModule, features: Value): Value {
  let x = sameLength(m.at('conv_pre'), features);
  const levels = m.list('ups');
  const blocks = m.list('resblocks');
  const each = blocks.length / levels.length;
  for (const [index, level] of levels.entries()) {
    const stride = kernelLength(level) / 2;
    x = sequenceConvolution(level, silu(level, x), { stride, padding: stride / 2, isTransposed: true });
    const own = blocks.slice(index * each, (index + 1) * each).map((block) => residualBlock(block, x));
    x = scaled(level, m.op('Sum', own), 1 / each);
  }
  return m.op('Tanh', [sameLength(m.at('conv_post'), silu(m, x))]);
}

function residualBlock(m: NetworkModule, x: Value): Value {
  const second = m.list('convs2');
  return m.list('convs1').reduce((last, first, index) => {
    const inner = sameLength(first, silu(first, last), DILATIONS[index] ?? 1);
    return add(m, last, sameLength(second[index]!, silu(first, inner)));
  }, x);
}
