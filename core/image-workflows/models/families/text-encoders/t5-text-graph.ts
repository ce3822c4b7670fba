/**
 * The encoder of T5 (Raffel et al., "Exploring the limits of transfer learning", 2020). Version 1.1 has gated layers
 * (Shazeer, "GLU variants improve Transformer", 2020). UMT5 has more tables (Chung et al., "UniMax", 2023).
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import { add, multiply, relu } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { rmsNorm } from '../../layers/rms-norm.ts';
import { tanhGelu } from '../../layers/tanh-gelu.ts';
import { hiddenTokens, tokenEmbedding, tokenPositions } from '../../layers/token-embedding.ts';
import { bucketsByDistance, FAR } from './t5-distances.ts';

/**
 * Inputs, int64 [batch, tokens] each: `input_ids`, and `attention_mask` with 0 for tokens that are not seen.
 * Output: `last_hidden_state`, [batch, tokens, width].
 * The weights give the number of layers and of heads, and whether each layer has its own table of distances.
 * @param weights by their names in transformers
 * @throws ModelUnsupported when weights are missing
 */
export function t5TextGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder(weights);
  const root = new NetworkModule(graph);
  const encoder = root.at('encoder');
  // Some files have the table of tokens under its second name only.
  const table = root.at('shared').exists() ? root.at('shared') : encoder.at('embed_tokens');
  let x = tokenEmbedding(table, 'input_ids');
  const mask = hiddenTokens(encoder, 'attention_mask');
  const buckets = distances(encoder);
  let heads = 0;
  let bias = mask;
  for (const block of encoder.list('block')) {
    const [first, second] = [block.at('layer.0'), block.at('layer.1')];
    const byDistance = first.at('SelfAttention.relative_attention_bias');
    // UMT5 has a table in each layer; in T5, all layers share that of the first.
    if (heads === 0 || byDistance.exists()) {
      heads = byDistance.shape()[1]!;
      bias = add(byDistance, distanceScores(byDistance, buckets), mask);
    }
    const normed = rmsNorm(first.at('layer_norm'), x);
    x = add(first, x, selfAttention(first.at('SelfAttention'), normed, bias, heads));
    x = add(second, x, feedForward(second.at('DenseReluDense'), rmsNorm(second.at('layer_norm'), x)));
  }
  const last = rmsNorm(encoder.at('final_layer_norm'), x);
  graph.node('Identity', [last], {}, 'last_hidden_state');
  const [, width = 0] = table.shape();
  return graph.buildModel(
    ['input_ids', 'attention_mask'].map((name) => ({ name, type: 'int64', shape: ['batch', 'tokens'] })),
    [{ name: 'last_hidden_state', type: 'float32', shape: ['batch', 'tokens', width] }],
  );
}

/** The bucket of the distance from each token to each other, int64 [tokens, tokens]. */
function distances(m: NetworkModule): Value {
  const { graph } = m;
  const positions = tokenPositions(m, 'input_ids');
  const [column, row] = [0, 1].map((axis) =>
    m.op('Unsqueeze', [positions, graph.int64Initializer([axis])]),
  ) as [Value, Value];
  const far = graph.int64Initializer([FAR], true);
  const limited = m.op('Clip', [m.op('Sub', [column, row]), graph.int64Initializer([-FAR], true), far]);
  return m.op('Gather', [graph.int64Initializer(bucketsByDistance()), m.op('Add', [limited, far])]);
}

/** The learned score of each distance, [1, heads, tokens, tokens]. */
function distanceScores(table: NetworkModule, buckets: Value): Value {
  const { graph } = table;
  const scores = table.op('Gather', [table.parameter(), buckets]);
  const byHead = table.op('Transpose', [scores], { perm: [2, 0, 1] });
  return table.op('Unsqueeze', [byHead, graph.int64Initializer([0])]);
}

function selfAttention(m: NetworkModule, x: Value, mask: Value, heads: number): Value {
  const projected = [linear(m.at('q'), x), linear(m.at('k'), x), linear(m.at('v'), x)] as const;
  const [width = 0] = m.at('q').shape();
  return linear(m.at('o'), attend(m, projected, width, { heads, isDecomposed: true, mask, scale: 1 }));
}

/** Version 1.1 has two layers, of which one gates the other. The first version has one. */
function feedForward(m: NetworkModule, x: Value): Value {
  if (!m.at('wi_0').exists()) return linear(m.at('wo'), relu(m, linear(m.at('wi'), x)));
  const gate = tanhGelu(m, linear(m.at('wi_0'), x));
  return linear(m.at('wo'), multiply(m, gate, linear(m.at('wi_1'), x)));
}
