/**
 * Chroma Radiance (the model card of lodestones/Chroma1-Radiance on Hugging Face): the transformer of Chroma without an
 * autoencoder. A token stands for a square of pixels. A small network computes its pixels at the end. Its structure
 * follows from the names and shapes of the weights.
 */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { convolution } from '../../layers/convolution.ts';
import {
  add,
  channelsFirst,
  channelsLast,
  concat,
  dimensions,
  multiply,
  reshape,
  silu,
  slice,
  transpose,
} from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { cellsToTokens, patchesOf, patchesToImage, patchSides } from '../../layers/patches.ts';
import { rmsNorm } from '../../layers/rms-norm.ts';
import { fluxBlocks, fluxInputs, fluxStart } from './flux-graph.ts';

/** Shorter vectors are not normalized to the length 1. */
const SHORTEST = 1e-12;

/**
 * The ONNX model. Inputs:
 * - `hidden_states` [batch, 3, height, width]: pixels from -1 to 1, in whole patches.
 * - `encoder_hidden_states` [batch, tokens, width]; `timestep` [1], from 0 to 1.
 * - `img_ids` [patches, 3] and `txt_ids` [tokens, 3]: layer, row and column of each token.
 *
 * Output: `out_sample` [batch, 3, height, width].
 * @param weights by their names in `original-transformer-names.json`
 * @throws ModelUnsupported when weights are missing
 */
export function radianceGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const embedder = root.at('patch_embedder');
  const [, channels = 3, patch = 16] = embedder.shape();
  const patches = patchesOf(embedder, 'hidden_states');
  const sides = patchSides(embedder, patches);
  const embedded = cellsToTokens(embedder, patches);
  const start = fluxStart(root, { order: 'shift scale' }, 'txt_ids', () => embedded);
  const tokens = fluxBlocks(root, start.image, start.text, start.shared);
  const pixels = pixelValues(root, tokens, sides, { channels, patch });
  // The channels of all pixels of a patch, as one row for each patch.
  const rows = root.op('Reshape', [
    pixels,
    concat(root, 0, dimensions(root, tokens, 0, 2), root.graph.int64Initializer([-1])),
  ]);
  const features = patchesToImage(root, rows, sides, patch);
  root.graph.node('Identity', [pixelOutput(root, features)], {}, 'out_sample');
  const shape = ['batch', channels, 'height', 'width'];
  const float = (name: string): ValueInfo => ({ name, type: 'float32', shape });
  const others = fluxInputs(root, channels).filter(({ name }) => name !== 'hidden_states');
  return root.graph.buildModel([float('hidden_states'), ...others], [float('out_sample')]);
}

/** The channels of a pixel, and the pixels of a patch along each side. */
interface Sizes {
  channels: number;
  patch: number;
}

/**
 * The pixels of all patches: [batch · patches, patch · patch, width of a pixel].
 * @param tokens [batch, patches, width]
 * @param sides int64 [rows, columns] of patches
 */
function pixelValues(root: NetworkModule, tokens: Value, sides: Value, sizes: Sizes): Value {
  const [width = 0] = root.at('patch_embedder').shape();
  const embedder = root.at('pixel_embedder');
  const pixels = patchPixels(embedder, sides, sizes);
  const count = concat(root, 0, dimensions(root, pixels, 0, 1), root.graph.int64Initializer([1, 1]));
  const places = root.op('Expand', [pixelPlaces(embedder, sizes), count]);
  let x = linear(embedder, concat(embedder, -1, pixels, places));
  const seen = reshape(root, tokens, -1, width);
  for (const block of root.list('pixel_blocks')) x = pixelBlock(block, x, seen);
  return x;
}

/** The pixels of the input: [batch · patches, patch · patch, channels]. */
function patchPixels(m: NetworkModule, sides: Value, { channels, patch }: Sizes): Value {
  const [side, depth] = [patch, channels].map((size) => m.graph.int64Initializer([size])) as [Value, Value];
  const rows = slice(m, sides, 0, 0, 1);
  const columns = slice(m, sides, 0, 1, 2);
  const shape = concat(m, 0, dimensions(m, 'hidden_states', 0, 1), depth, rows, side, columns, side);
  const cells = transpose(m, m.op('Reshape', ['hidden_states', shape]), 0, 2, 4, 3, 5, 1);
  return reshape(m, cells, -1, patch * patch, channels);
}

/**
 * Products of cosines that say where in its patch a pixel lies, as in a discrete cosine transform. High frequencies of
 * both axes count less: [1, patch · patch, frequencies · frequencies], where those of the rows come last.
 */
function pixelPlaces(m: NetworkModule, { channels, patch }: Sizes): Value {
  const [, inputs = 0] = m.shape();
  const frequencies = Math.round(Math.sqrt(inputs - channels));
  const values = new Float32Array(patch * patch * frequencies * frequencies);
  let at = 0;
  for (let row = 0; row < patch; row++)
    for (let column = 0; column < patch; column++)
      for (let across = 0; across < frequencies; across++)
        for (let down = 0; down < frequencies; down++)
          values[at++] =
            (Math.cos((column / (patch - 1)) * across * Math.PI) *
              Math.cos((row / (patch - 1)) * down * Math.PI)) /
            (1 + across * down);
  return m.graph.floatInitializer('pixel_places', [1, patch * patch, frequencies * frequencies], values);
}

/** A gated layer over the pixels of each patch. The patch's token gives its weights. */
function pixelBlock(m: NetworkModule, x: Value, tokens: Value): Value {
  const normed = rmsNorm(m.at('norm'), x);
  const [width = 0] = m.at('norm').shape();
  const inner = m.at('gate').shape()[0]! / width;
  const gate = ownProduct(m.at('gate'), normed, tokens, width, inner);
  const value = ownProduct(m.at('value'), normed, tokens, width, inner);
  const output = ownProduct(m.at('output'), multiply(m, silu(m, gate), value), tokens, inner, width);
  return add(m, x, output);
}

/**
 * x times a matrix of each patch whose columns have the length 1. The product is divided by the lengths, so that no
 * second copy of the matrices is made.
 */
function ownProduct(m: NetworkModule, x: Value, tokens: Value, inputs: number, outputs: number): Value {
  const matrices = reshape(m, linear(m, tokens), -1, inputs, outputs);
  const lengths = m.op('ReduceL2', [matrices], { axes: [1], keepdims: 1 });
  const divisors = m.op('Max', [lengths, m.graph.scalarInitializer(SHORTEST)]);
  return m.op('Div', [m.op('MatMul', [x, matrices]), divisors]);
}

/** [batch, width of a pixel, height, width] to channels, by a convolution or for each pixel alone. */
function pixelOutput(root: NetworkModule, features: Value): Value {
  const convolved = root.at('convolved_end');
  const end = convolved.exists() ? convolved : root.at('pixel_end');
  const normed = rmsNorm(end.at('norm'), channelsLast(end, features));
  if (convolved.exists()) return convolution(end.at('conv'), channelsFirst(end, normed));
  return channelsFirst(end, linear(end.at('linear'), normed));
}
