import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../layers/attention.ts';
import { add, concat, dimensions, quickGelu, slice, transpose } from '../layers/elementary.ts';
import { linear } from '../layers/linear.ts';
import { NetworkModule, type Value } from '../layers/network-module.ts';
import { layerNorm } from '../layers/norms.ts';

/** The heads of the published adapter. Its weights do not say them. */
const HEADS = 8;

/**
 * The style adapter of T2I-Adapter as an ONNX model: learned tokens see those of an image, and become tokens of the
 * prompt. Source: Mou et al., "T2I-Adapter", 2023, and its published code.
 * Input: `image_embeds` [images, tokens, width]. Output: `image_tokens`, as wide as the prompts of Stable Diffusion 1.
 * @throws ModelUnsupported when weights are missing
 */
export function styleAdapterGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  heads = HEADS,
): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const [, count = 0, width = 0] = root.shape('style_embedding');
  const [, outputs = 0] = root.shape('proj');
  const { graph } = root;
  const batch = dimensions(root, 'image_embeds', 0, 1);
  const all = concat(root, 0, batch, graph.int64Initializer([count, width]));
  const learned = root.op('Expand', [root.parameter('style_embedding'), all]);
  let x = layerNorm(root.at('ln_pre'), concat(root, 1, 'image_embeds', learned));
  // The published files spell the name of these layers so.
  for (const layer of root.list('transformer_layes')) x = styleLayer(layer, x, heads);
  const last = slice(root, layerNorm(root.at('ln_post'), x), 1, -count, Number.MAX_SAFE_INTEGER);
  graph.node('MatMul', [last, root.parameter('proj')], {}, 'image_tokens');
  return graph.buildModel(
    [{ name: 'image_embeds', type: 'float32', shape: ['images', 'tokens', width] }],
    [{ name: 'image_tokens', type: 'float32', shape: ['images', count, outputs] }],
  );
}

function styleLayer(m: NetworkModule, x: Value, heads: number): Value {
  const attention = m.at('attn');
  const normed = layerNorm(m.at('ln_1'), x);
  const [rows = 0] = attention.shape('in_proj_weight');
  const joint = add(
    attention,
    attention.op('MatMul', [normed, transpose(attention, attention.parameter('in_proj_weight'), 1, 0)]),
    attention.parameter('in_proj_bias'),
  );
  const width = rows / 3;
  const part = (at: number) => slice(attention, joint, -1, at * width, (at + 1) * width);
  const mixed = attend(attention, [part(0), part(1), part(2)], width, { heads });
  const seen = add(m, x, linear(attention.at('out_proj'), mixed));
  const inner = quickGelu(m, linear(m.at('mlp.c_fc'), layerNorm(m.at('ln_2'), seen)));
  return add(m, seen, linear(m.at('mlp.c_proj'), inner));
}
