/** TAESD, a tiny autoencoder (Ollin Boer Bohan, github.com/madebyollin/taesd), as two ONNX models like diffusers'. */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { convolution, enlarge } from '../../layers/convolution.ts';
import { add, relu, scaled } from '../../layers/elementary.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';

/** The decoder's input is softly clamped to this range on both sides of 0. */
const LATENT_RANGE = 3;
const IMAGE_CHANNELS = 3;

/** The scale between the network's latents and those of the autoencoder that it stands for. */
export interface TinyLatents {
  readonly scale: number;
  readonly shift: number;
}
const UNSCALED: TinyLatents = { scale: 1, shift: 0 };

/**
 * Input: `latent_sample` [batch, channels, height, width]. Output: `sample`, an image from -1 to 1.
 * @param weights by their names in the file, with `vae_scale` and `vae_shift` where it has them
 * @param latents the scale for files without these two
 * @throws ModelUnsupported when weights are missing
 */
export function tinyDecoderGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  latents = UNSCALED,
): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const [scale, shift] = latentScale(root, latents);
  const decoder = root.at('taesd_decoder');
  const [, channels = 0] = decoder.at('1').shape();
  let x = root.op('Mul', [root.op('Sub', ['latent_sample', shift]), scale]);
  x = scaled(root, root.op('Tanh', [scaled(root, x, 1 / LATENT_RANGE)]), LATENT_RANGE);
  const count = layerCount(weights, decoder);
  // Layers without weights are the clamp at the start, the activation after the first convolution, and enlargements.
  for (let index = 1; index < count; index++) {
    const layer = decoder.at(String(index));
    if (layer.exists()) x = tinyLayer(layer, x);
    else x = decoder.at(String(index - 1)).has('weight') ? relu(layer, x) : enlarge(layer, x);
  }
  const image = root.op('Sub', [scaled(root, x, 2), root.graph.scalarInitializer(1)]);
  root.graph.node('Identity', [image], {}, 'sample');
  return root.graph.buildModel(
    [{ name: 'latent_sample', type: 'float32', shape: ['batch', channels, 'height', 'width'] }],
    [{ name: 'sample', type: 'float32', shape: ['batch', IMAGE_CHANNELS, 'image height', 'image width'] }],
  );
}

/**
 * Input: `sample` [batch, 3, height, width], an image from -1 to 1. Output: `latent_parameters`, the latent.
 * @param weights as for the decoder
 * @throws ModelUnsupported when weights are missing
 */
export function tinyEncoderGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  latents = UNSCALED,
): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const [scale, shift] = latentScale(root, latents);
  const encoder = root.at('taesd_encoder');
  const count = layerCount(weights, encoder);
  const [channels = 0] = encoder.at(String(count - 1)).shape();
  let x = scaled(root, root.op('Add', ['sample', root.graph.scalarInitializer(1)]), 0.5);
  for (const layer of Array.from({ length: count }, (_, index) => encoder.at(String(index)))) {
    // Those without a bias halve the sides.
    const isHalving = layer.has('weight') && !layer.has('bias');
    x = isHalving ? convolution(layer, x, { stride: 2 }) : tinyLayer(layer, x);
  }
  root.graph.node('Identity', [root.op('Add', [root.op('Div', [x, scale]), shift])], {}, 'latent_parameters');
  return root.graph.buildModel(
    [{ name: 'sample', type: 'float32', shape: ['batch', IMAGE_CHANNELS, 'image height', 'image width'] }],
    [{ name: 'latent_parameters', type: 'float32', shape: ['batch', channels, 'height', 'width'] }],
  );
}

/** A convolution, or three of them around a shortcut. */
function tinyLayer(m: NetworkModule, x: Value): Value {
  if (m.has('weight')) return convolution(m, x);
  const inner = [m.at('conv.0'), m.at('conv.2'), m.at('conv.4')] as const;
  const first = relu(inner[0], convolution(inner[0], x));
  const second = relu(inner[1], convolution(inner[1], first));
  const shortcut = m.at('skip');
  return relu(m, add(m, convolution(inner[2], second), shortcut.exists() ? convolution(shortcut, x) : x));
}

function latentScale(root: NetworkModule, { scale, shift }: TinyLatents): [scale: Value, shift: Value] {
  const numberOf = (name: string, otherwise: number) =>
    root.has(name) ? root.parameter(name) : root.graph.scalarInitializer(otherwise);
  return [numberOf('vae_scale', scale), numberOf('vae_shift', shift)];
}

/** One more than the highest number of a layer with weights. */
function layerCount(weights: ReadonlyMap<string, StoredTensor>, { path }: NetworkModule): number {
  const numbers = [...weights.keys()].flatMap((name) =>
    name.startsWith(`${path}.`) ? [Number.parseInt(name.slice(path.length + 1), 10)] : [],
  );
  return 1 + Math.max(-1, ...numbers);
}
