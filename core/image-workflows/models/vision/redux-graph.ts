import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { silu } from '../layers/elementary.ts';
import { linear } from '../layers/linear.ts';
import { NetworkModule } from '../layers/network-module.ts';

/**
 * Flux Redux as an ONNX model (the model card of black-forest-labs/FLUX.1-Redux-dev on Hugging Face): two layers with a
 * SiLU between them.
 * Input: `image_embeds` [images, tokens, width]. Output: `image_tokens`, as wide as Flux' prompts.
 * @throws ModelUnsupported when weights are missing
 */
export function reduxGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder(weights);
  const root = new NetworkModule(graph);
  const [up, down] = [root.at('redux_up'), root.at('redux_down')];
  const tokens = linear(down, silu(root, linear(up, 'image_embeds')));
  graph.node('Identity', [tokens], {}, 'image_tokens');
  return graph.buildModel(
    [{ name: 'image_embeds', type: 'float32', shape: ['images', 'tokens', up.shape()[1]!] }],
    [{ name: 'image_tokens', type: 'float32', shape: ['images', 'tokens', down.shape()[0]!] }],
  );
}
