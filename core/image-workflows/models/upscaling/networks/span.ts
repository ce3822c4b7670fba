/** SPAN (Wan et al., "Swift Parameter-free Attention Network for efficient super-resolution", 2024). */
import { biasedConvolution } from '../../layers/convolution.ts';
import { add, concat, multiply, scaled, silu } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { pixelShuffle } from '../../layers/pixel-shuffle.ts';
import { renamed } from '../../weight-files/weight-table.ts';
import { mergedConvolution } from './merged-convolution.ts';
import { COLORS, requireColors, type UpscalerKind, upscalerNetwork } from './upscaler-network.ts';

/** Published networks see images around 0, up to this. Their weights do not show both. */
const RANGE = 255;
const MEAN = [0.4488, 0.4371, 0.404];

/** Marks a network that sees images as they are. */
const PLAIN = 'no_norm';
/** Joint kernels that trainers store, and that may be older than their parts. */
const JOINT = '.eval_conv.';

export const span: UpscalerKind = {
  name: 'SPAN',
  read(table) {
    if (!table.has('conv_1.sk.weight') || !table.has('block_1.c1_r.sk.weight')) return undefined;
    const weights = renamed(table, (name) => (name.includes(JOINT) || name === PLAIN ? undefined : name));
    return upscalerNetwork(weights, (root, image) => build(root, image, table.has(PLAIN)));
  },
};

function build(root: NetworkModule, image: Value, isPlain: boolean) {
  const [outputs = 0] = root.at('upsampler.0').shape();
  const scale = Math.sqrt(outputs / COLORS);
  requireColors(root.at('conv_1.sk').shape()[1], Number.isInteger(scale) ? COLORS : outputs);
  const input = isPlain
    ? image
    : scaled(root, root.op('Sub', [image, root.constant('mean', [1, COLORS, 1, 1], MEAN)]), RANGE);
  const start = mergedConvolution(root.at('conv_1'), input);
  const values: Value[] = [];
  let x = start;
  let lastInner = start;
  for (let number = 1; root.at(`block_${number}`).exists(); number++) {
    ({ x, inner: lastInner } = attentionBlock(root.at(`block_${number}`), x));
    values.push(x);
  }
  const end = mergedConvolution(root.at('conv_2'), x);
  const joined = biasedConvolution(root.at('conv_cat'), concat(root, 1, start, end, values[0]!, lastInner));
  const larger = pixelShuffle(root, biasedConvolution(root.at('upsampler.0'), joined), scale);
  return { larger, scale, multiple: 1 };
}

/** Section 3.1. `inner`: the result of the first layer, after its activation. */
function attentionBlock(m: NetworkModule, x: Value): { x: Value; inner: Value } {
  const inner = silu(m, mergedConvolution(m.at('c1_r'), x));
  const second = mergedConvolution(m.at('c2_r'), inner);
  const third = mergedConvolution(m.at('c3_r'), silu(m, second));
  const attention = add(m, m.op('Sigmoid', [third]), m.graph.scalarInitializer(-0.5));
  return { x: multiply(m, add(m, third, x), attention), inner };
}
