/** Blocks of networks whose frames are the first axis, [frames, channels, height, width], and see no later ones. */
import { add, multiply, reshape, silu } from '../../layers/elementary.ts';
import { frameConvolution } from '../../layers/frame-convolution.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';

/** No frame sees a later one. The border is repeated. Some convolutions are a module of their own. */
export function convolve(m: NetworkModule, x: Value): Value {
  const own = m.at('conv').exists() ? m.at('conv') : m;
  return frameConvolution(own, x, { frames: 'before', border: 'repeated' });
}

/** The last convolution, with its norm. */
export const head = (m: NetworkModule, x: Value): Value =>
  convolve(m.at('conv_out'), silu(m, channelNorm(m.at('norm_out'), x)));

export function residualBlock(m: NetworkModule, x: Value): Value {
  const first = convolve(m.at('conv1'), silu(m, channelNorm(m.at('norm1'), x)));
  const second = convolve(m.at('conv2'), silu(m, channelNorm(m.at('norm2'), first)));
  const shortcut = m.at('nin_shortcut');
  return add(m, shortcut.exists() ? convolve(shortcut, x) : x, second);
}

/** Zhang and Sennrich, "Root mean square layer normalization", 2019: over the channels of each cell. */
export function channelNorm(m: NetworkModule, x: Value): Value {
  const [channels = 0] = m.shape('gamma');
  const length = m.op('ReduceL2', [x], { axes: [1], keepdims: 1 });
  const unit = m.op('Div', [x, m.op('Max', [length, m.graph.scalarInitializer(1e-12)])]);
  const gamma = reshape(m, m.parameter('gamma'), channels, 1, 1);
  return multiply(m, unit, multiply(m, gamma, m.graph.scalarInitializer(Math.sqrt(channels))));
}
