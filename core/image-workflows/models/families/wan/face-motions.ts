/**
 * The motion of a face as a vector. Sources: Wang et al., "Latent image animator", 2022, section 3.1; its layers are
 * those of Karras et al., "Analyzing and improving the image quality of StyleGAN", 2020.
 */
import { add, leakyRelu, scaled, transpose } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';

/** Orthogonal directions of motion in the space of faces, [motions, width]. */
export interface MotionDirections {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

const SLOPE = 0.2;
/** Weights of a filter that smooths before cells are left out. */
const SMOOTH = [1, 3, 3, 1];

/** @param pixels [faces, 3, side, side]. The result is [faces, width]. */
export function faceMotions(m: NetworkModule, pixels: Value, directions: MotionDirections): Value {
  let x = pixels;
  for (const layer of m.list('enc.net_app.convs'))
    if (layer.has('weight')) x = scaledConvolution(layer, x, {});
    else x = layer.at('conv1').exists() ? residualBlock(layer, x) : activatedLayer(layer, x, '0', '1');
  let vector = m.op('Squeeze', [x, m.graph.int64Initializer([2, 3])]);
  for (const layer of m.list('enc.fc')) vector = scaledLinear(layer, vector);
  return m.op('MatMul', [vector, m.constant('directions', [...directions.shape], directions.data)]);
}

/** Karras et al., "Progressive growing of GANs", 2018, section 4.1: weights are stored larger than they count. */
function scaledConvolution(
  m: NetworkModule,
  x: Value,
  { stride = 1, padding = 0 }: { stride?: number; padding?: number },
): Value {
  const [, inputs = 1, side = 1] = m.shape();
  const weight = scaled(m, m.parameter(), 1 / Math.sqrt(inputs * side ** 2));
  return m.op('Conv', [x, weight, ...(m.has('bias') ? [m.parameter('bias')] : [])], {
    kernel_shape: [side, side],
    strides: [stride, stride],
    pads: [padding, padding, padding, padding],
  });
}

function scaledLinear(m: NetworkModule, x: Value): Value {
  const weight = scaled(m, transpose(m, m.parameter(), 1, 0), 1 / Math.sqrt(m.shape()[1]!));
  return add(m, m.op('MatMul', [x, weight]), m.parameter('bias'));
}

/** The bias comes with the activation, which keeps the variance. */
const activated = (m: NetworkModule, x: Value): Value =>
  scaled(m, leakyRelu(m, add(m, x, m.parameter('bias')), SLOPE), Math.SQRT2);

function activatedLayer(m: NetworkModule, x: Value, filter: string, activation: string): Value {
  const [, , side = 1] = m.at(filter).shape();
  const filtered = scaledConvolution(m.at(filter), x, { padding: Math.floor(side / 2) });
  return activated(m.at(activation), filtered);
}

/** Halves both sides. */
function residualBlock(m: NetworkModule, x: Value): Value {
  const inner = activatedLayer(m.at('conv1'), x, '0', '1');
  const change = activated(m.at('conv2.2'), smaller(m.at('conv2.1'), inner));
  return scaled(m, add(m, change, smaller(m.at('skip.1'), x)), Math.SQRT1_2);
}

function smaller(m: NetworkModule, x: Value): Value {
  const [, inputs = 1, side = 1] = m.shape();
  const total = SMOOTH.reduce((sum, weight) => sum + weight, 0) ** 2;
  const kernel = SMOOTH.flatMap((row) => SMOOTH.map((column) => (row * column) / total));
  const filter = m.constant('smooth', [inputs, 1, 4, 4], new Array<number[]>(inputs).fill(kernel).flat());
  const padding = SMOOTH.length - 2 + side - 1;
  const [before, after] = [Math.ceil(padding / 2), Math.floor(padding / 2)];
  const smooth = m.op('Conv', [x, filter], {
    kernel_shape: [4, 4],
    pads: [before, before, after, after],
    group: inputs,
  });
  return scaledConvolution(m, smooth, { stride: 2 });
}
