/** MoSR: gated blocks of convolutions, whose published networks are trained with `neosr` and `traiNNer-redux`. */
import { ModelUnsupported } from '#core/host';
import { biasedConvolution, channelwise } from '../../layers/convolution.ts';
import { add, concat, dimensions, mish, multiply, slice } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { planesNorm } from '../../layers/norms.ts';
import { pixelShuffle } from '../../layers/pixel-shuffle.ts';
import { COLORS, requireColors, type UpscalerKind, upscalerNetwork } from './upscaler-network.ts';

const EPSILON = 1e-6;
/** Skipped values are moved by this. */
const SHIFT = -0.5;
/** How many variants of a result one kind of last layer averages. */
const VARIANTS = 8;

export const mosr: UpscalerKind = {
  name: 'MoSR',
  read: (table) =>
    table.has('gblocks.0.weight') && table.has('gblocks.1.fc1.weight') && table.has('shortcut.conv11.weight')
      ? upscalerNetwork(table, build)
      : undefined,
};

function build(root: NetworkModule, image: Value) {
  const layers = root.list('gblocks');
  const count = layers.length - 1;
  requireColors(layers[0]!.shape()[1], COLORS);
  let x = biasedConvolution(layers[0]!, image);
  for (const layer of layers.slice(1, count)) x = gatedBlock(layer, x);
  x = mish(root, biasedConvolution(layers[count]!, x));
  x = mish(root, biasedConvolution(root.at(`gblocks.${count + 2}`), x));
  x = biasedConvolution(root.at(`gblocks.${count + 4}`), x);
  return { ...enlarged(root, add(root, x, shifted(root, skipped(root.at('shortcut'), image)))), multiple: 1 };
}

const shifted = (m: NetworkModule, x: Value): Value => add(m, x, m.graph.scalarInitializer(SHIFT));

function skipped(m: NetworkModule, image: Value): Value {
  const inner = mish(m, biasedConvolution(m.at('block.0'), image));
  return add(m, mish(m, biasedConvolution(m.at('block.2'), inner)), biasedConvolution(m.at('conv11'), image));
}

/** A gate for channels of which only the last are filtered with a large kernel. */
function gatedBlock(m: NetworkModule, x: Value): Value {
  const all = biasedConvolution(m.at('fc1'), planesNorm(m.at('norm'), x, EPSILON));
  const width = m.at('fc1').shape()[0]!;
  const [channels = 0] = m.at('conv').shape();
  const gate = mish(m, slice(m, all, 1, 0, width / 2));
  const filtered = channelwise(m.at('conv'), slice(m, all, 1, width - channels, width));
  const inner = concat(m, 1, slice(m, all, 1, width / 2, width - channels), filtered);
  const mixed = mish(m, biasedConvolution(m.at('fc2'), multiply(m, gate, inner)));
  return add(m, mixed, shifted(m, x));
}

function enlarged(root: NetworkModule, x: Value) {
  const variants = root.at('upsampler.in_to_k');
  const last = variants.exists() ? variants : root.at('upsampler.0');
  const channels = last.shape()[0]! / (variants.exists() ? VARIANTS : 1);
  const scale = Math.sqrt(channels / COLORS);
  if (!Number.isInteger(scale)) throw new ModelUnsupported('its last layer does not make squares of RGB');
  let result = biasedConvolution(last, x);
  if (variants.exists()) {
    const { graph } = root;
    const split = root.op('Reshape', [result, graph.int64Initializer([0, VARIANTS, -1])]);
    const mean = root.op('ReduceMean', [split], { axes: [1], keepdims: 0 });
    const shape = concat(root, 0, graph.int64Initializer([0, channels]), dimensions(root, result, 2, 4));
    // Zero stands for the size of the same axis, the batch.
    result = root.op('Reshape', [mean, shape]);
  }
  return { larger: pixelShuffle(root, result, scale), scale };
}
