/** Conde et al., "Swin2SR: SwinV2 transformer for compressed image super-resolution and restoration", 2022. */
import { ModelUnsupported } from '#core/host';
import { biasedConvolution } from '../../layers/convolution.ts';
import {
  add,
  channelsFirst,
  channelsLast,
  concat,
  leakyRelu,
  multiply,
  relu,
  reshape,
  scaled,
  transpose,
  unitLength,
} from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import { type Enlarged, enlargeByShuffling } from './enlarging-layers.ts';
import { SLOPE_BEFORE, swinFrame } from './swin-frame.ts';
import { type UpscalerKind, upscalerNetwork } from './upscaler-network.ts';
import { distanceBias, distanceRows, swinFeedForward, threeParts } from './window-attention.ts';
import { Windows } from './windows.ts';

const FIRST = 'layers.0.residual_group.blocks.0.attn';
/** Liu et al., "Swin transformer V2", 2022, section 3.2 and 3.3: limits of scores, biases and distances. */
const LOG_LIMIT = Math.log(100);
const BIAS_LIMIT = 16;
const FARTHEST = 8;

export const swin2sr: UpscalerKind = {
  name: 'Swin2SR',
  read: (table) => (table.has(`${FIRST}.logit_scale`) ? upscalerNetwork(table, build) : undefined),
};

function build(root: NetworkModule, image: Value) {
  const side = Math.sqrt(root.shape(`${FIRST}.relative_position_index`)[0] ?? 0);
  if (!Number.isInteger(side) || side < 2) throw new ModelUnsupported('its windows are no squares');
  return swinFrame(root, image, {
    multiple: side,
    blocks: (x) => blocks(root, x, side),
    ...(root.at('conv_aux').exists() && { enlarge: (x, small) => enlargeWithBicubic(root, x, small) }),
  });
}

function blocks(root: NetworkModule, start: Value, side: number): Value {
  const windows = new Windows(root, start, [side, side]);
  let x = start;
  for (const layer of root.list('layers')) {
    let result = x;
    for (const [index, m] of layer.list('residual_group.blocks').entries()) {
      const attended = cosineAttention(m.at('attn'), result, windows, index % 2 === 1);
      result = add(m, result, layerNorm(m.at('norm1'), attended));
      result = add(m, result, layerNorm(m.at('norm2'), swinFeedForward(m.at('mlp'), result)));
    }
    const filtered = biasedConvolution(layer.at('conv'), channelsFirst(layer, result));
    const projected = biasedConvolution(layer.at('patch_embed.proj'), filtered);
    x = add(layer, x, channelsLast(layer, projected));
  }
  return x;
}

/** Scores are cosines of the angle between query and key, times a factor of each head. */
function cosineAttention(m: NetworkModule, x: Value, windows: Windows, isShifted: boolean): Value {
  const [width = 0] = m.at('proj').shape();
  const [heads = 1] = m.shape('logit_scale');
  const split = (part: Value) => transpose(m, reshape(m, part, 0, 0, heads, width / heads), 0, 2, 1, 3);
  const limit = m.graph.scalarInitializer(LOG_LIMIT);
  const factor = m.op('Exp', [m.op('Min', [m.parameter('logit_scale'), limit])]);
  const masks = [logDistanceBias(m, windows, heads), ...(isShifted ? [windows.shiftMask()] : [])];
  return windows.each(m, [{ x, channels: width }], isShifted, width, (cells) => {
    const parts = threeParts(m, withBiases(m, linear(m.at('qkv'), cells), width), width).map(split);
    const [query, key, value] = parts as [Value, Value, Value];
    const cosines = m.op('MatMul', [unitLength(m, query), transpose(m, unitLength(m, key), 0, 1, 3, 2)]);
    const scores = masks.reduce((sum, mask) => add(m, sum, mask), multiply(m, cosines, factor));
    const mixed = m.op('MatMul', [m.op('Softmax', [scores], { axis: -1 }), value]);
    return linear(m.at('proj'), reshape(m, transpose(m, mixed, 0, 2, 1, 3), 0, 0, width));
  });
}

/** Keys have no bias. */
function withBiases(m: NetworkModule, all: Value, width: number): Value {
  if (!m.has('q_bias')) return all;
  const zeros = m.constant('zeros', [width], Array(width).fill(0));
  return add(m, all, concat(m, 0, m.parameter('q_bias'), zeros, m.parameter('v_bias')));
}

/** Two layers make the biases from the logarithms of distances. */
function logDistanceBias(m: NetworkModule, windows: Windows, heads: number): Value {
  const [side] = windows.sides;
  const count = 2 * side - 1;
  const logarithm = (distance: number) => {
    const relative = (distance / (side - 1)) * FARTHEST;
    return (Math.sign(relative) * Math.log2(Math.abs(relative) + 1)) / Math.log2(FARTHEST);
  };
  const distances = Array.from({ length: count ** 2 }, (_, at) => [
    logarithm(Math.floor(at / count) + 1 - side),
    logarithm((at % count) + 1 - side),
  ]).flat();
  const inner = relu(m, linear(m.at('cpb_mlp.0'), m.constant('distances', [count ** 2, 2], distances)));
  const table = linear(m.at('cpb_mlp.2'), inner);
  const bias = distanceBias(m, table, distanceRows(windows.sides, windows.sides), heads);
  return scaled(m, m.op('Sigmoid', [bias]), BIAS_LIMIT);
}

/** Networks for compressed images add the features of the enlarged image to those that follow from a small result. */
function enlargeWithBicubic(root: NetworkModule, features: Value, centered: Value): Enlarged {
  const activated = (m: NetworkModule, x: Value) => leakyRelu(m, biasedConvolution(m, x), SLOPE_BEFORE);
  const small = biasedConvolution(
    root.at('conv_aux'),
    activated(root.at('conv_before_upsample.0'), features),
  );
  const { x, scale } = enlargeByShuffling(root, activated(root.at('conv_after_aux.0'), small));
  const scales = root.constant('scales', [4], [1, 1, scale, scale]);
  const bicubic = root.op('Resize', [centered, '', scales], {
    mode: 'cubic',
    coordinate_transformation_mode: 'half_pixel',
    cubic_coeff_a: { float: -0.75 },
  });
  const sum = add(root, x, biasedConvolution(root.at('conv_bicubic'), bicubic));
  return { x: biasedConvolution(root.at('conv_last'), sum), scale };
}
