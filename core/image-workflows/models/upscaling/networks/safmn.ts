/** Sun et al., "Spatially-adaptive feature modulation for efficient image super-resolution", 2023, section 3. */
import { ModelUnsupported } from '#core/host';
import { biasedConvolution, channelwise, repeatCells } from '../../layers/convolution.ts';
import { add, concat, gelu, multiply, slice } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { planesNorm } from '../../layers/norms.ts';
import { pixelShuffle } from '../../layers/pixel-shuffle.ts';
import { COLORS, requireColors, type UpscalerKind, upscalerNetwork } from './upscaler-network.ts';

const EPSILON = 1e-6;

export const safmn: UpscalerKind = {
  name: 'SAFMN',
  read: (table) =>
    table.has('to_feat.weight') && table.has('feats.0.safm.aggr.weight')
      ? upscalerNetwork(table, build)
      : undefined,
};

function build(root: NetworkModule, image: Value) {
  const [first, last] = [root.at('to_feat'), root.at('to_img.0')];
  const scale = Math.sqrt(last.shape()[0]! / COLORS);
  if (!Number.isInteger(scale)) throw new ModelUnsupported('its last layer does not make squares of RGB');
  requireColors(first.shape()[1], COLORS);
  const start = biasedConvolution(first, image);
  let x = start;
  for (const m of root.list('feats')) {
    x = add(m, modulated(m.at('safm'), planesNorm(m.at('norm1'), x, EPSILON)), x);
    const mixer = m.at('ccm.ccm');
    const inner = gelu(mixer, biasedConvolution(mixer.at('0'), planesNorm(m.at('norm2'), x, EPSILON)));
    x = add(m, biasedConvolution(mixer.at('2'), inner), x);
  }
  const levels = root.list('feats.0.safm.mfr').length;
  const larger = pixelShuffle(root, biasedConvolution(last, add(root, x, start)), scale);
  return { larger, scale, multiple: 2 ** (levels - 1) };
}

/** Each part of the channels is filtered at half of the size of the part before. */
function modulated(m: NetworkModule, x: Value): Value {
  const parts = m.list('mfr').map((filter, level) => {
    const [channels = 0] = filter.shape();
    const part = slice(filter, x, 1, level * channels, (level + 1) * channels);
    if (level === 0) return channelwise(filter, part);
    const side = 2 ** level;
    const small = filter.op('MaxPool', [part], { kernel_shape: [side, side], strides: [side, side] });
    return repeatCells(filter, channelwise(filter, small), side);
  });
  return multiply(m, gelu(m, biasedConvolution(m.at('aggr'), concat(m, 1, ...parts))), x);
}
