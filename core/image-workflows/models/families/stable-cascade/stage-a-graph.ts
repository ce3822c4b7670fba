/**
 * Stage A of Stable Cascade, an autoencoder of images, as two ONNX models. Source: Rampas et al., "A novel sampling
 * scheme for text- and image-conditional image synthesis in quantized latent spaces", 2022, section 3.1.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { batchNorm } from '../../layers/batch-norm.ts';
import { convolution } from '../../layers/convolution.ts';
import { add, channelsFirst, channelsLast, gelu, multiply, scaled, slice } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { plainNorm } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { pixelShuffle, pixelUnshuffle } from '../../layers/pixel-shuffle.ts';
import { depthwise } from './cascade-blocks.ts';

const IMAGE_CHANNELS = 3;
const PATCH = 2;

/**
 * Input: `latent_sample` [batch, channels, height, width]. Output: `sample`, an image from -1 to 1.
 * @throws ModelUnsupported when weights are missing
 */
export function stageADecoderGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const [, channels = 0] = root.at('up_blocks.0.0').shape();
  let x: Value = 'latent_sample';
  for (const m of root.list('up_blocks')) x = layer(m, x, 'ConvTranspose');
  const pixels = pixelShuffle(root, convolution(root.at('out_block.0'), x), PATCH);
  const image = root.op('Sub', [scaled(root, pixels, 2), root.graph.scalarInitializer(1)]);
  root.graph.node('Identity', [image], {}, 'sample');
  return root.graph.buildModel(
    [{ name: 'latent_sample', type: 'float32', shape: ['batch', channels, 'height', 'width'] }],
    [{ name: 'sample', type: 'float32', shape: ['batch', IMAGE_CHANNELS, 'image height', 'image width'] }],
  );
}

/**
 * Input: `sample` [batch, 3, height, width], an image from -1 to 1. Output: `latent_parameters`, the latent.
 * @throws ModelUnsupported when weights are missing
 */
export function stageAEncoderGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const pixels = scaled(root, add(root, 'sample', root.graph.scalarInitializer(1)), 0.5);
  let x = convolution(root.at('in_block.1'), pixelUnshuffle(root, pixels, IMAGE_CHANNELS, PATCH));
  for (const m of root.list('down_blocks')) x = layer(m, x, 'Conv');
  root.graph.node('Identity', [x], {}, 'latent_parameters');
  return root.graph.buildModel(
    [{ name: 'sample', type: 'float32', shape: ['batch', IMAGE_CHANNELS, 'image height', 'image width'] }],
    [{ name: 'latent_parameters', type: 'float32', shape: ['batch', 'channels', 'height', 'width'] }],
  );
}

/** A residual block, the layer at the latent, or one that changes the size. */
function layer(m: NetworkModule, x: Value, resampling: 'Conv' | 'ConvTranspose'): Value {
  if (m.has('gammas')) return residualBlock(m, x);
  const outer = m.at('0');
  if (outer.exists()) {
    const changed = convolution(outer, x);
    return m.at('1').exists() ? batchNorm(m.at('1'), changed, 1e-5) : changed;
  }
  return m.op(resampling, [x, m.parameter(), m.parameter('bias')], {
    kernel_shape: [4, 4],
    strides: [2, 2],
    pads: [1, 1, 1, 1],
  });
}

/** Both parts have a norm with a learned scale and shift, and a learned share. */
function residualBlock(m: NetworkModule, x: Value): Value {
  const filter = m.at('depthwise.1');
  const [channels = 0] = filter.shape();
  const number = (at: number) => slice(m, m.parameter('gammas'), 0, at, at + 1);
  const unit = m.graph.scalarInitializer(1);
  const normed = (values: Value, at: number) => {
    const plain = plainNorm(m, channelsLast(m, values), channels);
    return add(m, multiply(m, plain, add(m, number(at), unit)), number(at + 1));
  };
  const filtered = depthwise(filter, channelsFirst(m, normed(x, 0)), 'edge');
  const first = add(m, x, multiply(m, filtered, number(2)));
  const layers = m.at('channelwise');
  const inner = linear(layers.at('2'), gelu(layers, linear(layers.at('0'), normed(first, 3))));
  return add(m, first, multiply(m, channelsFirst(m, inner), number(5)));
}
