/** Hsu et al., "DRCT: Saving image super-resolution away from information bottleneck", 2024, section 3. */
import { biasedConvolution } from '../../layers/convolution.ts';
import { add, channelsFirst, channelsLast, concat, leakyRelu, scaled } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { SLOPE } from './enlarging-layers.ts';
import { swinFrame } from './swin-frame.ts';
import { type UpscalerKind, upscalerNetwork } from './upscaler-network.ts';
import { swinBlock, windowSide } from './window-attention.ts';
import { Windows } from './windows.ts';

const TABLE = 'layers.0.swin1.attn.relative_position_bias_table';
/** Blocks of a group. Each sees the results of all before it. */
const BLOCKS = 5;
/** How much of a group's result is added to its input. */
const SHARE = 0.2;

export const drct: UpscalerKind = {
  name: 'DRCT',
  read: (table) => (table.has(TABLE) ? upscalerNetwork(table, build) : undefined),
};

function build(root: NetworkModule, image: Value) {
  const side = windowSide(root.shape(TABLE)[0]!);
  return swinFrame(root, image, {
    multiple: side,
    blocks(start) {
      const windows = new Windows(root, start, [side, side]);
      return root.list('layers').reduce((x, layer) => group(layer, x, windows), start);
    },
  });
}

function group(m: NetworkModule, start: Value, windows: Windows): Value {
  const values = [start];
  for (let number = 1; number <= BLOCKS; number++) {
    const all = values.length === 1 ? start : concat(m, -1, ...values);
    const adjust = m.at(`adjust${number}`);
    const mixed = swinBlock(m.at(`swin${number}`), all, windows, number % 2 === 0);
    const fewer = biasedConvolution(adjust, channelsFirst(adjust, mixed));
    values.push(channelsLast(adjust, number === BLOCKS ? fewer : leakyRelu(adjust, fewer, SLOPE)));
  }
  return add(m, scaled(m, values.at(-1)!, SHARE), start);
}
