/** Language models that continue a text, as text encoders: Gemma 2, Qwen 2.5, Qwen 3, Llama 3, Mistral 3. */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { causalAttention, laterTokens, rotation, sectionedRotation } from '../../layers/causal-attention.ts';
import { add, multiply, scaled, silu } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { rmsNorm } from '../../layers/rms-norm.ts';
import { tanhGelu } from '../../layers/tanh-gelu.ts';
import { hiddenTokens, tokenEmbedding, tokenPositions } from '../../layers/token-embedding.ts';

/** The properties of a network that its weights do not show. */
export interface DecoderNetwork {
  headWidth: number;
  /** The base of the powers that give the angles of positions. */
  base: number;
  activation: 'gelu' | 'silu';
  /** Added to the weights of the norms. */
  normOffset?: number;
  epsilon?: number;
  /** How many pairs of a head turn with the time, the row and the column of a token, in networks that see images. */
  sections?: readonly number[];
  /** The embeddings of tokens are multiplied by the root of their width. */
  scalesTokens?: boolean;
  /** The scores of the next token stay within ± this number. */
  scoreLimit?: number;
}

/**
 * Inputs, int64 [batch, tokens] each: `input_ids`, and `attention_mask` with 0 for tokens that are not seen.
 * With `sections`, also `position_ids` [tokens, 3]: time, row and column.
 * Outputs, [batch, tokens, width] each:
 * - `last_hidden_state`, after the last norm, if the file has that norm.
 * - `hidden_states.N`: the input of layer N. The last one is the output of all layers, without the last norm.
 *
 * Gemma's windows of 4096 tokens are left out, as prompts are shorter. Its limits of scores are left out as in ComfyUI.
 * @param weights by their names in transformers
 * @throws ModelUnsupported when weights are missing
 */
export function decoderTextGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  network: DecoderNetwork,
): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder(weights);
  const model = new NetworkModule(graph).at('model');
  const [, width = 0] = model.at('embed_tokens').shape();
  const { headWidth, base } = network;
  const rows = tokenEmbedding(model.at('embed_tokens'), 'input_ids');
  let x = network.scalesTokens ? scaled(model, rows, Math.sqrt(width)) : rows;
  const positions = tokenPositions(model, 'input_ids');
  const mask = add(model, laterTokens(model, positions), hiddenTokens(model, 'attention_mask'));
  const { sections } = network;
  const turn = sections
    ? sectionedRotation(model, 'position_ids', sections, base)
    : rotation(model, positions, headWidth, base);
  const shared = { rotation: turn, mask };
  const outputs: ValueInfo[] = [];
  const expose = (value: Value, name: string) => {
    graph.node('Identity', [value], {}, name);
    outputs.push({ name, type: 'float32', shape: ['batch', 'tokens', width] });
  };
  for (const [index, layer] of model.list('layers').entries()) {
    expose(x, `hidden_states.${index}`);
    x = decoderLayer(layer, x, { ...network, ...shared });
  }
  expose(x, `hidden_states.${outputs.length}`);
  // Files for families that use earlier layers alone may lack the norm.
  const norm = model.at('norm');
  if (norm.exists()) expose(rmsNorm(norm, x, normOptions(network)), 'last_hidden_state');
  const ids = ['input_ids', 'attention_mask'].map(
    (name): ValueInfo => ({ name, type: 'int64', shape: ['batch', 'tokens'] }),
  );
  const places: ValueInfo = { name: 'position_ids', type: 'float32', shape: ['tokens', 3] };
  return graph.buildModel([...ids, ...(sections ? [places] : [])], outputs);
}

export const normOptions = ({ epsilon = 1e-6, normOffset = 0 }: DecoderNetwork) => ({
  epsilon,
  offset: normOffset,
});

export type LayerOptions = DecoderNetwork &
  Pick<Parameters<typeof causalAttention>[2], 'rotation' | 'mask' | 'memory'>;

/** Gemma has norms before and after both parts. The others have those before them, and the second has another name. */
export function decoderLayer(m: NetworkModule, x: Value, options: LayerOptions): Value {
  const norm = (name: string, value: Value) => rmsNorm(m.at(name), value, normOptions(options));
  const hasFour = m.at('pre_feedforward_layernorm').exists();
  const attended = causalAttention(m.at('self_attn'), norm('input_layernorm', x), options);
  const first = add(m, x, hasFour ? norm('post_attention_layernorm', attended) : attended);
  const before = hasFour ? 'pre_feedforward_layernorm' : 'post_attention_layernorm';
  const fed = feedForward(m.at('mlp'), norm(before, first), options.activation);
  return add(m, first, hasFour ? norm('post_feedforward_layernorm', fed) : fed);
}

function feedForward(m: NetworkModule, x: Value, activation: DecoderNetwork['activation']): Value {
  const inner = linear(m.at('gate_proj'), x);
  const gate = activation === 'gelu' ? tanhGelu(m, inner) : silu(m, inner);
  return linear(m.at('down_proj'), multiply(m, gate, linear(m.at('up_proj'), x)));
}
