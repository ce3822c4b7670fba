/** BERT (Devlin et al., "BERT: pre-training of deep bidirectional transformers", 2019) as a text encoder of HunyuanDiT. */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import { add, gelu, slice } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import { hiddenTokens, tokenEmbedding, tokenPositions } from '../../layers/token-embedding.ts';

/** All published encoders have heads of this width. */
const HEAD_WIDTH = 64;
const EPSILON = 1e-12;

/**
 * Inputs, int64 [batch, tokens] each: `input_ids`, and `attention_mask` with 0 for tokens that are not seen.
 * Outputs, [batch, tokens, width] each: `last_hidden_state`, and `hidden_states.N`, the input of layer N. The last one is
 * the output of all layers.
 * @param weights by their names in transformers, after `bert.`
 * @throws ModelUnsupported when weights are missing
 */
export function bertTextGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder(weights);
  const bert = new NetworkModule(graph).at('bert');
  const [, width = 0] = bert.at('embeddings.word_embeddings').shape();
  const outputs: ValueInfo[] = [];
  const expose = (value: Value, name: string) => {
    graph.node('Identity', [value], {}, name);
    outputs.push({ name, type: 'float32', shape: ['batch', 'tokens', width] });
  };
  let x = embeddings(bert.at('embeddings'));
  const mask = hiddenTokens(bert, 'attention_mask');
  for (const [index, layer] of bert.list('encoder.layer').entries()) {
    expose(x, `hidden_states.${index}`);
    x = encoderLayer(layer, x, width, mask);
  }
  expose(x, `hidden_states.${outputs.length}`);
  expose(x, 'last_hidden_state');
  return graph.buildModel(
    ['input_ids', 'attention_mask'].map((name) => ({ name, type: 'int64', shape: ['batch', 'tokens'] })),
    outputs,
  );
}

/** The sum of the embeddings of tokens, of positions and of the first sentence. */
function embeddings(m: NetworkModule): Value {
  const words = tokenEmbedding(m.at('word_embeddings'), 'input_ids');
  const positions = m.op('Gather', [m.at('position_embeddings').parameter(), tokenPositions(m, 'input_ids')]);
  const sentence = slice(m, m.at('token_type_embeddings').parameter(), 0, 0, 1);
  return layerNorm(m.at('LayerNorm'), add(m, add(m, words, sentence), positions), EPSILON);
}

/** Attention and a feed-forward network, each before a norm. */
function encoderLayer(m: NetworkModule, x: Value, width: number, mask: Value): Value {
  const own = m.at('attention.self');
  const projected = [
    linear(own.at('query'), x),
    linear(own.at('key'), x),
    linear(own.at('value'), x),
  ] as const;
  const mixed = attend(own, projected, width, { heads: width / HEAD_WIDTH, isDecomposed: true, mask });
  const output = m.at('attention.output');
  const seen = layerNorm(output.at('LayerNorm'), add(m, x, linear(output.at('dense'), mixed)), EPSILON);
  const inner = gelu(m, linear(m.at('intermediate.dense'), seen));
  const fed = linear(m.at('output.dense'), inner);
  return layerNorm(m.at('output.LayerNorm'), add(m, seen, fed), EPSILON);
}
