/**
 * The autoencoder of Stable Audio (Evans et al., "Stable Audio Open", 2024, section 2.1) and of ACE-Step 1.5 as two ONNX
 * models.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { add, multiply, slice } from '../../layers/elementary.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { kernelLength, normedShape, sequenceConvolution } from '../../layers/sequence-convolution.ts';

/** The distance between the samples that a residual block sees, for the blocks of a level in their order. */
const DILATIONS = [1, 3, 9];

/**
 * Input: `latent_sample` [batch, channels, cells]. Output: `sample` [batch, audio channels, samples].
 * @throws ModelUnsupported when weights are missing
 */
export function oobleckDecoderGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const layers = root.at('decoder').list('layers');
  const channels = normedShape(layers[0]!)[1]!;
  let x: Value = 'latent_sample';
  for (const m of layers) {
    if (isNormed(m)) x = convolution(m, x);
    else x = m.has('alpha') ? snake(m, x) : decoderLevel(m, x);
  }
  root.graph.node('Identity', [x], {}, 'sample');
  return root.graph.buildModel(
    [{ name: 'latent_sample', type: 'float32', shape: ['batch', channels, 'cells'] }],
    [{ name: 'sample', type: 'float32', shape: ['batch', 'audio channels', 'samples'] }],
  );
}

/**
 * Input: `sample` [batch, audio channels, samples]. Output: `latent_parameters` [batch, channels, cells], the means.
 * @throws ModelUnsupported when weights are missing
 */
export function oobleckEncoderGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const layers = root.at('encoder').list('layers');
  const channels = normedShape(layers[0]!)[1]!;
  const outputs = normedShape(layers.at(-1)!)[0]! / 2;
  let x: Value = 'sample';
  for (const m of layers) {
    if (isNormed(m)) x = convolution(m, x);
    else x = m.has('alpha') ? snake(m, x) : encoderLevel(m, x);
  }
  root.graph.node('Identity', [slice(root, x, 1, 0, outputs)], {}, 'latent_parameters');
  return root.graph.buildModel(
    [{ name: 'sample', type: 'float32', shape: ['batch', channels, 'samples'] }],
    [{ name: 'latent_parameters', type: 'float32', shape: ['batch', outputs, 'cells'] }],
  );
}

const isNormed = (m: NetworkModule): boolean => m.at('parametrizations.weight').exists() || m.has('weight_v');

function encoderLevel(m: NetworkModule, x: Value): Value {
  const layers = m.list('layers');
  let last = x;
  for (const [index, inner] of layers.slice(0, -2).entries())
    last = residualBlock(inner, last, DILATIONS[index] ?? 1);
  return convolution(layers.at(-1)!, snake(layers.at(-2)!, last), { isResampling: true });
}

function decoderLevel(m: NetworkModule, x: Value): Value {
  const [activation, upsampler, ...blocks] = m.list('layers');
  const larger = convolution(upsampler!, snake(activation!, x), { isResampling: true, isTransposed: true });
  return blocks.reduce((last, inner, index) => residualBlock(inner, last, DILATIONS[index] ?? 1), larger);
}

function residualBlock(m: NetworkModule, x: Value, dilation: number): Value {
  const [first, wide, second, narrow] = m.list('layers') as [
    NetworkModule,
    NetworkModule,
    NetworkModule,
    NetworkModule,
  ];
  return add(m, x, convolution(narrow, snake(second, convolution(wide, snake(first, x), { dilation }))));
}

/** Ziyin et al., "Neural networks fail to learn periodic functions", 2020: x + sin²(αx) / β, of logarithms. */
function snake(m: NetworkModule, x: Value): Value {
  const { graph } = m;
  const number = (name: string) =>
    m.op('Exp', [m.op('Unsqueeze', [m.parameter(name), graph.int64Initializer([1])])]);
  const wave = m.op('Sin', [multiply(m, x, number('alpha'))]);
  const height = m.op('Div', [
    multiply(m, wave, wave),
    add(m, number('beta'), graph.scalarInitializer(1e-9)),
  ]);
  return add(m, x, height);
}

interface FilterOptions {
  dilation?: number;
  /** The kernel has twice the length of the steps. */
  isResampling?: boolean;
  isTransposed?: boolean;
}

function convolution(
  m: NetworkModule,
  x: Value,
  { dilation = 1, isResampling = false, isTransposed = false }: FilterOptions = {},
): Value {
  const kernel = kernelLength(m);
  const stride = isResampling ? kernel / 2 : 1;
  const padding = isResampling ? Math.ceil(stride / 2) : (dilation * (kernel - 1)) / 2;
  return sequenceConvolution(m, x, { stride, padding, dilation, isTransposed });
}
