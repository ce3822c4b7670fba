/**
 * T2I adapters: an image as residuals for a UNet's way down. Source: Mou et al., "T2I-Adapter", 2023, section 3.2, and
 * its published code.
 */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { convolution } from '../../layers/convolution.ts';
import { add, concat, dimensions, relu } from '../../layers/elementary.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { pixelUnshuffle } from '../../layers/pixel-shuffle.ts';
import { inputBlockResidual } from '../../networks/control-residuals.ts';

/** Values of a color image. */
const COLORS = 3;
/** Pixels along a side of a cell. Those of adapters for SDXL are larger. */
const [CELL, LARGE_CELL] = [8, 16];
/** The blocks of Stable Diffusion 1 that take the residuals, and those of SDXL. */
const PLACES = [2, 5, 8, 11].map(inputBlockResidual);
const LARGE_PLACES = [...[3, 5, 8].map(inputBlockResidual), 'mid_block_additional_residual'];

/**
 * The ONNX model of a T2I adapter.
 * Input: `controlnet_cond` [batch, 1 or 3, height, width]; the sides are multiples of 8, for SDXL of 16.
 * Outputs: one residual for each of four blocks of the UNet, by the names of its inputs.
 * @param weights by their names in the original files
 * @throws ModelUnsupported when weights are missing
 */
export function t2iAdapterGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const isLight = !root.at('conv_in').exists();
  const first = isLight ? root.at('body.0.in_conv') : root.at('conv_in');
  const [, values = 0] = first.shape();
  const isLarge = [1, COLORS].some((colors) => values === colors * LARGE_CELL ** 2);
  const cell = isLarge ? LARGE_CELL : CELL;
  const colors = values / cell ** 2;
  const image = pixelUnshuffle(root, 'controlnet_cond', colors, cell);
  const places = isLarge ? LARGE_PLACES : PLACES;
  const halves = (stage: number) => (isLarge ? stage === 2 : stage > 0);
  const values4 = isLight
    ? lightStages(root, image, halves)
    : fullStages(root, convolution(first, image), halves, places.length);
  const outputs = values4.map(({ value, channels }, stage): ValueInfo => {
    const name = places[stage]!;
    root.graph.node('Identity', [value], {}, name);
    return { name, type: 'float32', shape: ['batch', channels, `${name}_height`, `${name}_width`] };
  });
  return root.graph.buildModel(
    [{ name: 'controlnet_cond', type: 'float32', shape: ['batch', colors, 'height', 'width'] }],
    outputs,
  );
}

interface Stage {
  value: Value;
  channels: number;
}

/** Residual blocks that keep their channels, between two convolutions in each stage. */
function lightStages(root: NetworkModule, image: Value, halves: (stage: number) => boolean): Stage[] {
  let value = image;
  return root.list('body').map((stage, index) => {
    if (halves(index)) value = halved(stage, value);
    value = convolution(stage.at('in_conv'), value);
    for (const block of stage.list('body')) value = residualBlock(block, value);
    value = convolution(stage.at('out_conv'), value);
    return { value, channels: stage.at('out_conv').shape()[0]! };
  });
}

/** The same number of residual blocks in each stage. The first one of a stage changes size and channels. */
function fullStages(
  root: NetworkModule,
  first: Value,
  halves: (stage: number) => boolean,
  count: number,
): Stage[] {
  const blocks = root.list('body');
  const perStage = blocks.length / count;
  let value = first;
  return Array.from({ length: count }, (_, index) => {
    const stage = blocks.slice(index * perStage, (index + 1) * perStage);
    for (const [at, block] of stage.entries()) {
      const learned = block.at('down_opt.op');
      if (at === 0 && halves(index))
        value = learned.exists() ? convolution(learned, value, { stride: 2 }) : halved(block, value);
      value = residualBlock(block, value);
    }
    return { value, channels: stage.at(-1)!.at('block2').shape()[0]! };
  });
}

function residualBlock(m: NetworkModule, x: Value): Value {
  const entry = m.at('in_conv').exists() ? convolution(m.at('in_conv'), x) : x;
  const changed = convolution(m.at('block2'), relu(m, convolution(m.at('block1'), entry)));
  return add(m, changed, m.at('skep').exists() ? convolution(m.at('skep'), entry) : entry);
}

/** The mean of 2 x 2 cells. An odd side is continued by its last cells, as the UNet's sizes are rounded up. */
function halved(m: NetworkModule, x: Value): Value {
  const { graph } = m;
  const odd = m.op('Mod', [dimensions(m, x, 2, 4), graph.int64Initializer([2])]);
  const pads = concat(m, 0, graph.int64Initializer([0, 0, 0, 0, 0, 0]), odd);
  const even = m.op('Pad', [x, pads], { mode: 'edge' });
  return m.op('AveragePool', [even], { kernel_shape: [2, 2], strides: [2, 2] });
}
