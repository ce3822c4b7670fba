/**
 * The encoder of Whisper (Radford et al., "Robust speech recognition via large-scale weak supervision", 2022, section
 * 2.2) as an ONNX model.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../layers/attention.ts';
import { add, gelu, transpose } from '../layers/elementary.ts';
import { linear } from '../layers/linear.ts';
import { NetworkModule, type Value } from '../layers/network-module.ts';
import { layerNorm } from '../layers/norms.ts';
import { sequenceConvolution } from '../layers/sequence-convolution.ts';
import { stackedLayers } from './stacked-layers.ts';

const HEAD_WIDTH = 64;
const EPSILON = 1e-5;

/**
 * Input: `loudness` [batch, bands, steps] for 30 seconds.
 * Output: `layers` [layers + 1, batch, steps / 2, width], the input of each layer, and the result after the last norm.
 * @param weights by their names in transformers, from `encoder.` on
 * @throws ModelUnsupported when weights are missing
 */
export function whisperGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const m = root.at('encoder');
  const first = gelu(m, sequenceConvolution(m.at('conv1'), 'loudness', { padding: 1 }));
  const second = gelu(m, sequenceConvolution(m.at('conv2'), first, { padding: 1, stride: 2 }));
  let x = add(m, transpose(m, second, 0, 2, 1), m.at('embed_positions').parameter());
  const states: Value[] = [];
  for (const layer of m.list('layers')) {
    states.push(x);
    x = add(
      layer,
      x,
      attention(layer.at('self_attn'), layerNorm(layer.at('self_attn_layer_norm'), x, EPSILON)),
    );
    const normed = layerNorm(layer.at('final_layer_norm'), x, EPSILON);
    x = add(layer, x, linear(layer.at('fc2'), gelu(layer, linear(layer.at('fc1'), normed))));
  }
  stackedLayers(root, [...states, layerNorm(m.at('layer_norm'), x, EPSILON)]);
  const [width = 0, bands = 0] = m.at('conv1').shape();
  return root.graph.buildModel(
    [{ name: 'loudness', type: 'float32', shape: ['batch', bands, 'steps'] }],
    [{ name: 'layers', type: 'float32', shape: ['layers', 'batch', 'tokens', width] }],
  );
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
