/**
 * The encoder of speech of Baevski et al., "wav2vec 2.0: a framework for self-supervised learning of speech
 * representations", 2020, as an ONNX model.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../layers/attention.ts';
import { add, gelu, slice, transpose } from '../layers/elementary.ts';
import { linear } from '../layers/linear.ts';
import { NetworkModule, type Value } from '../layers/network-module.ts';
import { layerNorm } from '../layers/norms.ts';
import { kernelLength, sequenceConvolution } from '../layers/sequence-convolution.ts';
import { stackedLayers } from './stacked-layers.ts';

/** Steps between the windows of the convolutions. */
const STRIDES = [5, 2, 2, 2, 2, 2, 2];
/** Samples that the first step of the result sees. */
export const FEWEST_SAMPLES = 400;
const HEAD_WIDTH = 64;
const EPSILON = 1e-5;

/** Whether the norms come before their layers. Such models also take audio without mean and of variance 1. */
export const isNormedFirst = (weights: ReadonlyMap<string, StoredTensor>): boolean =>
  weights.has('feature_extractor.conv_layers.1.layer_norm.weight');

/**
 * Input: `audio` [batch, samples] of 16 kHz.
 * Output: `layers` [layers + 1, batch, steps, width], the input of each layer, and the result.
 * @param weights by their names in transformers
 * @throws ModelUnsupported when weights are missing
 */
export function wav2vec2Graph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const { graph } = root;
  const isFirst = isNormedFirst(weights);
  let x = root.op('Unsqueeze', ['audio', graph.int64Initializer([1])]);
  for (const [index, m] of root.list('feature_extractor.conv_layers').entries())
    x = gelu(
      m,
      featureNorm(m, sequenceConvolution(m.at('conv'), x, { stride: STRIDES[index] ?? 1 }), isFirst),
    );
  const projection = root.at('feature_projection');
  const features = layerNorm(projection.at('layer_norm'), transpose(root, x, 0, 2, 1), EPSILON);
  const encoder = root.at('encoder');
  const placed = withPositions(
    encoder.at('pos_conv_embed.conv'),
    linear(projection.at('projection'), features),
  );
  let stream = isFirst ? placed : layerNorm(encoder.at('layer_norm'), placed, EPSILON);
  const states: Value[] = [];
  for (const m of encoder.list('layers')) {
    states.push(stream);
    stream = isFirst ? normedFirst(m, stream) : normedLast(m, stream);
  }
  states.push(isFirst ? layerNorm(encoder.at('layer_norm'), stream, EPSILON) : stream);
  stackedLayers(root, states);
  const [width = 0] = projection.at('projection').shape();
  return graph.buildModel(
    [{ name: 'audio', type: 'float32', shape: ['batch', 'samples'] }],
    [{ name: 'layers', type: 'float32', shape: ['layers', 'batch', 'steps', width] }],
  );
}

/** Norms over channels, or in the first layer of the older models over time. */
function featureNorm(m: NetworkModule, x: Value, isFirst: boolean): Value {
  const norm = m.at('layer_norm');
  if (!norm.exists()) return x;
  if (isFirst) return transpose(m, layerNorm(norm, transpose(m, x, 0, 2, 1), EPSILON), 0, 2, 1);
  return m.op('InstanceNormalization', [x, norm.parameter(), norm.parameter('bias')], {
    epsilon: { float: EPSILON },
  });
}

/** Positions come from a convolution over time. */
function withPositions(m: NetworkModule, x: Value): Value {
  const kernel = kernelLength(m);
  const [channels = 1] = m.shape('bias');
  const groups = channels / inputsOfGroup(m);
  const padding = Math.floor(kernel / 2);
  const filtered = sequenceConvolution(m, transpose(m, x, 0, 2, 1), { padding, groups });
  // An even kernel makes a step too much.
  const steps = kernel % 2 === 0 ? slice(m, filtered, 2, 0, -1) : filtered;
  return add(m, x, transpose(m, gelu(m, steps), 0, 2, 1));
}

function inputsOfGroup(m: NetworkModule): number {
  const name = ['parametrizations.weight.original1', 'weight_v'].find((each) => m.has(each));
  return m.shape(name)[1] ?? 1;
}

function attention(m: NetworkModule, x: Value): Value {
  const [query, key, value] = ['q_proj', 'k_proj', 'v_proj'].map((name) => linear(m.at(name), x)) as [
    Value,
    Value,
    Value,
  ];
  const [width = 0] = m.at('q_proj').shape();
  return linear(m.at('out_proj'), attend(m, [query, key, value], width, { heads: width / HEAD_WIDTH }));
}

const feedForward = (m: NetworkModule, x: Value): Value =>
  linear(m.at('output_dense'), gelu(m, linear(m.at('intermediate_dense'), x)));

function normedFirst(m: NetworkModule, x: Value): Value {
  const attended = add(m, x, attention(m.at('attention'), layerNorm(m.at('layer_norm'), x, EPSILON)));
  const normed = layerNorm(m.at('final_layer_norm'), attended, EPSILON);
  return add(m, attended, feedForward(m.at('feed_forward'), normed));
}

function normedLast(m: NetworkModule, x: Value): Value {
  const attended = layerNorm(m.at('layer_norm'), add(m, x, attention(m.at('attention'), x)), EPSILON);
  const sum = add(m, attended, feedForward(m.at('feed_forward'), attended));
  return layerNorm(m.at('final_layer_norm'), sum, EPSILON);
}
