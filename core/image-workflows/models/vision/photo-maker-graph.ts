/**
 * The encoder of PhotoMaker, version 1. CLIP L sees a person, and two small networks fuse the person with a token of the
 * prompt. Li et al., "PhotoMaker: Customizing realistic human photos via stacked ID embedding", 2024, section 3.2.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { add, concat, gelu } from '../layers/elementary.ts';
import { linear } from '../layers/linear.ts';
import { NetworkModule, type Value } from '../layers/network-module.ts';
import { layerNorm } from '../layers/norms.ts';
import { classState, visionLayers } from './clip-vision-graph.ts';

/**
 * Inputs: `pixel_values` [1, 3, size, size] and `token` [1, width]. Output: `fused` [1, width].
 * @param weights by their names in the published file
 * @throws ModelUnsupported when weights are missing
 */
export function photoMakerGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  heads = 16,
): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder(weights);
  const root = new NetworkModule(graph);
  const vision = root.at('vision_model');
  const { x, size } = visionLayers(vision, { heads, activation: 'quick_gelu' });
  const seen = classState(vision, x);
  const person = concat(
    root,
    1,
    linear(root.at('visual_projection'), seen),
    linear(root.at('visual_projection_2'), seen),
  );
  const fuse = root.at('fuse_module');
  const joined = add(fuse, perceptron(fuse.at('mlp1'), concat(fuse, 1, 'token', person)), 'token');
  const mixed = add(fuse, perceptron(fuse.at('mlp2'), joined), joined);
  graph.node('Identity', [layerNorm(fuse.at('layer_norm'), mixed)], {}, 'fused');
  const shape = [1, fuse.at('layer_norm').shape()[0]!];
  return graph.buildModel(
    [
      { name: 'pixel_values', type: 'float32', shape: [1, 3, size, size] },
      { name: 'token', type: 'float32', shape },
    ],
    [{ name: 'fused', type: 'float32', shape }],
  );
}

function perceptron(m: NetworkModule, x: Value): Value {
  const inner = linear(m.at('fc1'), layerNorm(m.at('layernorm'), x));
  return linear(m.at('fc2'), gelu(m, inner));
}
