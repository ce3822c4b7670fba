/** Liang et al., "SwinIR: Image restoration using Swin Transformer", 2021, section 3. */
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { renamed } from '../../weight-files/weight-table.ts';
import { addConvolved, swinFrame } from './swin-frame.ts';
import { type UpscalerKind, upscalerNetwork } from './upscaler-network.ts';
import { swinBlock, windowSide } from './window-attention.ts';
import { Windows } from './windows.ts';

/** Networks against JPEG artifacts have windows of this side, and take colours in 0..255. */
const JPEG_SIDE = 7;
const JPEG_RANGE = 255;
const TABLE = 'layers.0.residual_group.blocks.0.attn.relative_position_bias_table';

/** SwinIR for larger images, against noise and against JPEG artifacts. */
export const swinIr: UpscalerKind = {
  name: 'SwinIR',
  read(table) {
    // Other kinds have the same blocks, and others between them.
    if (!table.has(TABLE) || table.has('layers.0.residual_group.overlap_attn.qkv.weight')) return undefined;
    // A layer that takes squares of pixels follows the one that makes them.
    const weights = renamed(table, (name) => name.replace(/^conv_first\.1\./, 'conv_first.'));
    return upscalerNetwork(weights, build);
  },
};

function build(root: NetworkModule, image: Value) {
  const side = windowSide(root.shape(TABLE)[0]!);
  const range = side === JPEG_SIDE ? JPEG_RANGE : 1;
  return swinFrame(root, image, { range, multiple: side, blocks: (x) => blocks(root, x, side) });
}

function blocks(root: NetworkModule, start: Value, side: number): Value {
  const windows = new Windows(root, start, [side, side]);
  let x = start;
  for (const layer of root.list('layers')) {
    let result = x;
    for (const [index, block] of layer.list('residual_group.blocks').entries())
      result = swinBlock(block, result, windows, index % 2 === 1);
    x = addConvolved(layer, x, result);
  }
  return x;
}
