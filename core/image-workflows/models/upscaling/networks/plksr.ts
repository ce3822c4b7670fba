/**
 * PLKSR (Lee et al., "Partial large kernel CNNs for efficient super-resolution", 2024) and RealPLKSR, a variant of its
 * trainers with norms.
 */
import { ModelUnsupported } from '#core/host';
import { biasedConvolution, repeatCells } from '../../layers/convolution.ts';
import { add, concat, gelu, mish, multiply, slice } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { groupNorm } from '../../layers/norms.ts';
import { pixelShuffle } from '../../layers/pixel-shuffle.ts';
import { COLORS, requireColors, type UpscalerKind, upscalerNetwork } from './upscaler-network.ts';

/** The layers that mix channels. The first paper's files spell their name so. */
const MIXERS = { channe_mixer: gelu, channel_mixer: mish };
const LARGE_KERNEL = 'feats.1.lk.conv.weight';
const NORM_GROUPS = 4;

export const plksr: UpscalerKind = {
  name: 'PLKSR',
  read: (table) =>
    table.has(LARGE_KERNEL) && table.has('feats.1.refine.weight')
      ? upscalerNetwork(table, build, NORM_GROUPS)
      : undefined,
};

function build(root: NetworkModule, image: Value) {
  const numbers = [...root.graph.weights.keys()].flatMap((name) => /^feats\.(\d+)\./.exec(name)?.[1] ?? []);
  const layers = [...new Set(numbers.map(Number))].sort((a, b) => a - b);
  const [first, last] = [root.at('feats.0'), root.at(`feats.${layers.at(-1)}`)];
  const [channels = 0] = last.shape();
  const scale = Math.sqrt(channels / COLORS);
  if (!Number.isInteger(scale))
    throw new ModelUnsupported(`its last layer ${last.path} makes ${channels} channels: no squares of RGB`);
  requireColors(first.shape()[1], COLORS);
  let x = biasedConvolution(first, image);
  for (const number of layers.slice(1, -1)) x = block(root.at(`feats.${number}`), x);
  const difference = pixelShuffle(root, biasedConvolution(last, x), scale);
  return { larger: add(root, difference, repeatCells(root, image, scale)), scale, multiple: 1 };
}

function block(m: NetworkModule, x: Value): Value {
  const [name, activation] = Object.entries(MIXERS).find(([part]) => m.at(part).exists())!;
  const mixer = m.at(name);
  const inner = activation(mixer, biasedConvolution(mixer.at('0'), x));
  let value = partlyLarge(m.at('lk.conv'), biasedConvolution(mixer.at('2'), inner));
  const attention = m.at('attn.f.0');
  if (attention.exists()) value = multiply(m, value, m.op('Sigmoid', [biasedConvolution(attention, value)]));
  value = biasedConvolution(m.at('refine'), value);
  const norm = m.at('norm');
  return add(m, norm.exists() ? groupNorm(norm, value, 1e-5) : value, x);
}

/** A large kernel for the first channels. The others stay. */
function partlyLarge(m: NetworkModule, x: Value): Value {
  const [channels = 0] = m.shape();
  const rest = slice(m, x, 1, channels, Number.MAX_SAFE_INTEGER);
  return concat(m, 1, biasedConvolution(m, slice(m, x, 1, 0, channels)), rest);
}
