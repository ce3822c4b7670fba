/**
 * Residual-in-residual dense blocks (Wang et al., "ESRGAN: Enhanced super-resolution generative adversarial networks",
 * 2018, section 3.1). Real-ESRGAN (Wang et al., 2021) and ESRGAN+ (Rakotonirina and Rasoanaivo, 2020) vary them.
 */
import { biasedConvolution, convolution } from '../../layers/convolution.ts';
import { add, concat, scaled } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { pixelUnshuffle } from '../../layers/pixel-shuffle.ts';
import { activated, enlargeByRepeating } from './enlarging-layers.ts';
import { rrdbWeights } from './rrdb-names.ts';
import { COLORS, requireColors, type UpscalerKind, upscalerNetwork } from './upscaler-network.ts';

/** The share of a block that is added to its input. */
const RESIDUAL = 0.2;
/** Networks for scales below 4 take squares of this many pixels as channels (Real-ESRGAN, section 4.1). */
const UNSHUFFLED_SIDES = [2, 4];

/** RRDB networks in the layouts of ESRGAN, BSRGAN and Real-ESRGAN. */
export const esrgan: UpscalerKind = {
  name: 'ESRGAN',
  read(table) {
    const weights = rrdbWeights(table);
    return weights && upscalerNetwork(weights, rrdb);
  },
};

function rrdb(root: NetworkModule, image: Value): { larger: Value; scale: number; multiple: number } {
  const first = root.at('conv_first');
  const [, channels = 0] = first.shape();
  const side = UNSHUFFLED_SIDES.find((candidate) => channels === COLORS * candidate ** 2) ?? 1;
  requireColors(channels / side ** 2, root.at('conv_last').shape()[0]);
  const shallow = biasedConvolution(first, pixelUnshuffle(first, image, COLORS, side));
  let x = shallow;
  for (const block of root.list('body')) x = residualBlock(block, x);
  x = add(root, shallow, biasedConvolution(root.at('conv_body'), x));
  const { x: larger, scale } = enlargeByRepeating(root, x);
  return { larger, scale: scale / side, multiple: side };
}

function residualBlock(m: NetworkModule, x: Value): Value {
  let result = x;
  for (const part of ['rdb1', 'rdb2', 'rdb3']) result = denseBlock(m.at(part), result);
  return add(m, x, scaled(m, result, RESIDUAL));
}

/** Each layer takes the block's input and the results of all layers before it. */
function denseBlock(m: NetworkModule, x: Value): Value {
  const shortcut = m.at('conv1x1');
  const isPlus = shortcut.exists();
  const values = [x];
  for (const number of [1, 2, 3, 4]) {
    const layer = m.at(`conv${number}`);
    let result = activated(layer, number === 1 ? x : concat(layer, 1, ...values));
    if (isPlus && number === 2) result = add(m, result, convolution(shortcut, x));
    if (isPlus && number === 4) result = add(m, result, values[2]!);
    values.push(result);
  }
  const last = m.at('conv5');
  return add(m, x, scaled(m, biasedConvolution(last, concat(last, 1, ...values)), RESIDUAL));
}
