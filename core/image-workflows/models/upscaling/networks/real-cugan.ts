/** Real-CUGAN: two small U-Nets of Waifu2x with squeeze-and-excitation (Hu et al., 2018), for drawn images. */
import { biasedConvolution, convolution, repeatCells } from '../../layers/convolution.ts';
import { add, leakyRelu, multiply, relu, slice } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { pixelShuffle, pixelUnshuffle } from '../../layers/pixel-shuffle.ts';
import { renamed } from '../../weight-files/weight-table.ts';
import { PaddedSides } from './padded-sides.ts';
import { COLORS, requireColors, type UpscalerKind, upscalerNetwork } from './upscaler-network.ts';

const SLOPE = 0.1;
const VALID = { padding: { start: 0, end: 0 } };
/** Marks a network that takes colours in 0.15..0.85. */
const PRO = 'pro';
const PRO_RANGE = 0.7;
const PRO_START = 0.15;
/** Smaller images cannot be mirrored at their edges. */
const MINIMUM = 40;

export const realCugan: UpscalerKind = {
  name: 'Real-CUGAN',
  read(table) {
    if (!table.has('unet1.conv1.conv.0.weight') || !table.has('unet2.conv3.seblock.conv1.weight'))
      return undefined;
    const weights = renamed(table, (name) => (name === PRO ? undefined : name));
    return upscalerNetwork(weights, (root, image) => build(root, image, table.has(PRO)));
  },
};

function build(root: NetworkModule, image: Value, isPro: boolean) {
  const [start, range] = [PRO_START, PRO_RANGE].map((value) => root.graph.scalarInitializer(value)) as [
    Value,
    Value,
  ];
  const input = isPro ? root.op('Add', [root.op('Mul', [image, range]), start]) : image;
  const { x, scale, multiple } = root.at('conv_final').exists()
    ? withShuffle(root, input)
    : plain(root, input);
  const larger = isPro ? root.op('Div', [root.op('Sub', [x, start]), range]) : x;
  return { larger, scale, multiple, minimum: MINIMUM };
}

/** Networks that enlarge with their layers. */
function plain(root: NetworkModule, input: Value) {
  const [, outputs, kernel] = root.at('unet1.conv_bottom').shape();
  requireColors(root.at('unet1.conv1.conv.0').shape()[1], outputs);
  const scale = kernel === 5 ? 3 : 2;
  const sides = new PaddedSides(root, input, 2, scale === 3 ? 4 : 2);
  const x = twoNets(root, sides.pad(root, input, { width: scale === 3 ? 14 : 18, mode: 'reflect' }), scale);
  return { x: sides.crop(root, x, scale), scale, multiple: 1 };
}

/** Networks with a pixel shuffle at the end. The fast one also begins with squares of pixels as channels. */
function withShuffle(root: NetworkModule, input: Value) {
  const inputs = root.at('unet1.conv1.conv.0').shape()[1]!;
  const isFast = inputs === 4 * COLORS;
  requireColors(isFast ? COLORS : inputs, root.at('conv_final').shape()[0]! / 4);
  const sides = new PaddedSides(root, input, 2, 2);
  const padded = sides.pad(root, input, { width: isFast ? 38 : 19, mode: 'reflect' });
  const scale = isFast ? 2 : 4;
  const x = twoNets(root, isFast ? pixelUnshuffle(root, padded, COLORS, 2) : padded, 2);
  const last = convolution(root.at('conv_final'), x, VALID);
  const larger = sides.crop(root, pixelShuffle(root, cropped(root, last, 1), 2), scale);
  return { x: add(root, larger, repeatCells(root, input, scale)), scale, multiple: isFast ? 4 : 1 };
}

/** The second network improves the result of the first. */
function twoNets(root: NetworkModule, x: Value, stride: number): Value {
  const first = shallowNet(root.at('unet1'), x, stride);
  return add(root, deepNet(root.at('unet2'), first), cropped(root, first, 20));
}

function shallowNet(m: NetworkModule, x: Value, stride: number): Value {
  const first = twoLayers(m.at('conv1'), x);
  const inner = larger(m.at('conv2_up'), twoLayers(m.at('conv2'), smaller(m.at('conv1_down'), first)));
  const sum = rectified(m.at('conv3'), add(m, cropped(m, first, 4), inner));
  const last = m.at('conv_bottom');
  return transposed(last, sum, stride, stride === 3 ? 2 : 3);
}

function deepNet(m: NetworkModule, x: Value): Value {
  const first = twoLayers(m.at('conv1'), x);
  const second = twoLayers(m.at('conv2'), smaller(m.at('conv1_down'), first));
  const third = larger(m.at('conv3_up'), twoLayers(m.at('conv3'), smaller(m.at('conv2_down'), second)));
  const fourth = larger(m.at('conv4_up'), twoLayers(m.at('conv4'), add(m, cropped(m, second, 4), third)));
  const sum = rectified(m.at('conv5'), add(m, cropped(m, first, 16), fourth));
  return convolution(m.at('conv_bottom'), sum, VALID);
}

const rectified = (m: NetworkModule, x: Value): Value => leakyRelu(m, biasedConvolution(m, x, VALID), SLOPE);

const smaller = (m: NetworkModule, x: Value): Value =>
  leakyRelu(m, biasedConvolution(m, x, { stride: 2, ...VALID }), SLOPE);

const larger = (m: NetworkModule, x: Value): Value => leakyRelu(m, transposed(m, x, 2, 0), SLOPE);

/** The weights are [inputs, outputs, height, width]. */
function transposed(m: NetworkModule, x: Value, stride: number, padding: number): Value {
  const [, , height = 1, width = 1] = m.shape();
  return m.op('ConvTranspose', [x, m.parameter(), m.parameter('bias')], {
    kernel_shape: [height, width],
    strides: [stride, stride],
    pads: [padding, padding, padding, padding],
  });
}

function twoLayers(m: NetworkModule, x: Value): Value {
  const inner = rectified(m.at('conv.2'), rectified(m.at('conv.0'), x));
  const block = m.at('seblock');
  if (!block.exists()) return inner;
  const mean = block.op('GlobalAveragePool', [inner]);
  const factors = biasedConvolution(
    block.at('conv2'),
    relu(block, biasedConvolution(block.at('conv1'), mean)),
  );
  return multiply(block, inner, block.op('Sigmoid', [factors]));
}

/** Without the outer cells. */
const cropped = (m: NetworkModule, x: Value, cells: number): Value =>
  [2, 3].reduce((value, axis) => slice(m, value, axis, cells, -cells), x);
