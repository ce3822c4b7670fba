/** CLIP's text encoder (Radford et al., "Learning transferable visual models", 2021) as an ONNX model. */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { add, dimensions } from '../../layers/elementary.ts';
import { encoderLayer } from '../../layers/encoder-layer.ts';
import { linear } from '../../layers/linear.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import { tokenEmbedding } from '../../layers/token-embedding.ts';

/** Added to the scores of later tokens: far below all scores, and finite, as infinities would lead to NaN. */
const MASKED_SCORE = -1e9;

export interface ClipTextOptions {
  /** All CLIP encoders have heads of this width. */
  headWidth?: number;
  activation: 'quick_gelu' | 'gelu';
  /** `last_hidden_state` is the output of the last layer without the norm. */
  isUnnormed?: boolean;
}

/**
 * Input: `input_ids`, int64 [batch, tokens].
 * Outputs:
 * - `last_hidden_state` [batch, tokens, width].
 * - `hidden_states.N`: the input of layer N. The last one is the output of all layers, without the last norm.
 * - `text_embeds`, or `pooler_output` without a projection: [batch, width].
 * @param weights by their names in transformers
 * @throws ModelUnsupported when weights are missing
 */
export function clipTextGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  { headWidth = 64, activation, isUnnormed = false }: ClipTextOptions,
): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder(weights);
  const root = new NetworkModule(graph);
  const text = root.at('text_model');
  const [positions = 0, width = 0] = text.at('embeddings.position_embedding').shape();
  let x = embeddings(text.at('embeddings'));
  const mask = laterTokens(text, positions);
  const hiddenStates: ValueInfo[] = [];
  const expose = (value: Value, name: string) => {
    graph.node('Identity', [value], {}, name);
    return { name, type: 'float32' as const, shape: ['batch', 'tokens', width] };
  };
  for (const layer of text.list('encoder.layers')) {
    hiddenStates.push(expose(x, `hidden_states.${hiddenStates.length}`));
    x = encoderLayer(layer, x, { heads: width / headWidth, activation, mask });
  }
  hiddenStates.push(expose(x, `hidden_states.${hiddenStates.length}`));
  const last = layerNorm(text.at('final_layer_norm'), x);
  const pooled = endToken(text, last);
  const projection = root.at('text_projection');
  const isProjected = projection.exists();
  const pooledName = isProjected ? 'text_embeds' : 'pooler_output';
  graph.node('Identity', [isProjected ? linear(projection, pooled) : pooled], {}, pooledName);
  const pooledWidth = isProjected ? projection.shape()[0]! : width;
  return graph.buildModel(
    [{ name: 'input_ids', type: 'int64', shape: ['batch', 'tokens'] }],
    [
      expose(isUnnormed ? x : last, 'last_hidden_state'),
      ...hiddenStates,
      { name: pooledName, type: 'float32', shape: ['batch', pooledWidth] },
    ],
  );
}

/** The sum of the embeddings of tokens and of their positions. */
function embeddings(m: NetworkModule): Value {
  const { graph } = m;
  const count = dimensions(m, 'input_ids', 1, 2);
  const positions = m.op('Slice', [
    m.at('position_embedding').parameter(),
    graph.int64Initializer([0]),
    count,
    graph.int64Initializer([0]),
  ]);
  return add(m, tokenEmbedding(m.at('token_embedding'), 'input_ids'), positions);
}

/** A token sees those before it and itself: 0 for them, `MASKED_SCORE` for the others, [1, 1, tokens, tokens]. */
function laterTokens(m: NetworkModule, positions: number): Value {
  const { graph } = m;
  const scores = Float32Array.from({ length: positions ** 2 }, (_, at) =>
    at % positions > Math.floor(at / positions) ? MASKED_SCORE : 0,
  );
  const table = graph.floatInitializer('later_tokens', [1, 1, positions, positions], scores);
  const count = dimensions(m, 'input_ids', 1, 2);
  return m.op('Slice', [
    table,
    graph.int64Initializer([0, 0]),
    m.op('Concat', [count, count], { axis: 0 }),
    graph.int64Initializer([2, 3]),
  ]);
}

/** The row of the end token, which has the highest id: [batch, tokens, width] to [batch, width]. */
function endToken(m: NetworkModule, x: Value): Value {
  const position = m.op('ArgMax', ['input_ids'], { axis: -1, keepdims: 1 });
  const index = m.op('Unsqueeze', [position, m.graph.int64Initializer([2])]);
  const width = dimensions(m, x, 2, 3);
  const single = m.graph.int64Initializer([1]);
  const rows = m.op('Expand', [index, m.op('Concat', [single, single, width], { axis: 0 })]);
  const row = m.op('GatherElements', [x, rows], { axis: 1 });
  return m.op('Squeeze', [row, single]);
}
