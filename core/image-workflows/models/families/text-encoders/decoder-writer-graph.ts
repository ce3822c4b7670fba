/** Language models that continue a text, for writing it: token by token, with the keys and values of earlier tokens. */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { laterTokens, rotation } from '../../layers/causal-attention.ts';
import { add, multiply, scaled } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { rmsNorm } from '../../layers/rms-norm.ts';
import { hiddenTokens, tokenEmbedding, tokenPositions } from '../../layers/token-embedding.ts';
import { type DecoderNetwork, decoderLayer, normOptions } from './decoder-text-graph.ts';

/** The sizes of the keys and values of a graph that writes. */
export interface WriterShape {
  readonly layers: number;
  readonly groups: number;
  readonly headWidth: number;
}

/** Inputs and outputs of a layer's keys and values. */
export const memoryName = (part: 'past' | 'present', layer: number, kind: 'keys' | 'values'): string =>
  `${part}.${layer}.${kind}`;

/** @param weights by their names in transformers */
export function writerShape(
  weights: ReadonlyMap<string, StoredTensor>,
  { headWidth }: DecoderNetwork,
): WriterShape {
  const model = new NetworkModule(new GraphBuilder(weights)).at('model');
  const layers = model.list('layers');
  const [width = 0] = layers[0]!.at('self_attn').at('k_proj').shape();
  return { layers: layers.length, groups: width / headWidth, headWidth };
}

/**
 * Inputs:
 * - `input_ids`, int64 [1, tokens], and `start`, int64 [1]: the position of the first of them.
 * - `past.N.keys` and `past.N.values`, floats [1, groups, 1, start, width of a head] for each layer N.
 *
 * Outputs: `logits` [1, vocabulary] for the token after the last one, and `present.N.keys`, `present.N.values`.
 * @param weights by their names in transformers; without `lm_head.weight` the table of tokens gives the scores
 * @param isBatch several texts at once. Their number is the first side of all but `start`. A further input is
 *   `attention_mask`, int64 [texts, start + tokens], with 0 for tokens that are not seen
 * @throws ModelUnsupported when weights are missing
 */
export function decoderWriterGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  network: DecoderNetwork,
  isBatch = false,
): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder(weights);
  const root = new NetworkModule(graph);
  const model = root.at('model');
  const table = model.at('embed_tokens');
  const [, width = 0] = table.shape();
  const { groups, headWidth } = writerShape(weights, network);
  const rows = tokenEmbedding(table, 'input_ids');
  let x = network.scalesTokens ? scaled(model, rows, Math.sqrt(width)) : rows;
  const { positions, seen } = positionsOf(model);
  const later = laterTokens(model, positions, seen);
  const mask = isBatch
    ? add(model, later, hiddenTokens(model, 'attention_mask'))
    : model.op('Unsqueeze', [later, graph.int64Initializer([0, 1])]);
  const texts = isBatch ? 'texts' : 1;
  const shared = { rotation: rotation(model, positions, headWidth, network.base), mask };
  const inputs: ValueInfo[] = [];
  const outputs: ValueInfo[] = [];
  const memory = (name: string, tokens: string): ValueInfo => ({
    name,
    type: 'float32',
    shape: [texts, groups, 1, tokens, headWidth],
  });
  for (const [index, layer] of model.list('layers').entries()) {
    const past = (kind: 'keys' | 'values') => memoryName('past', index, kind);
    inputs.push(memory(past('keys'), 'start'), memory(past('values'), 'start'));
    const keep = (...stored: [keys: Value, values: Value]) => {
      for (const [at, kind] of (['keys', 'values'] as const).entries()) {
        const name = memoryName('present', index, kind);
        graph.node('Identity', [stored[at]!], {}, name);
        outputs.push(memory(name, 'seen'));
      }
    };
    const options = { ...network, ...shared, memory: { keys: past('keys'), values: past('values'), keep } };
    x = decoderLayer(layer, x, options);
  }
  const last = model.op('Gather', [x, graph.int64Initializer([-1], true)], { axis: 1 });
  const normed = rmsNorm(model.at('norm'), last, normOptions(network));
  const head = root.at('lm_head').exists() ? root.at('lm_head') : table;
  const scores = linear(head, normed);
  graph.node('Identity', [limited(root, scores, network.scoreLimit)], {}, 'logits');
  const seenTokens: ValueInfo = { name: 'attention_mask', type: 'int64', shape: [texts, 'seen'] };
  return graph.buildModel(
    [
      { name: 'input_ids', type: 'int64', shape: [texts, 'tokens'] },
      { name: 'start', type: 'int64', shape: [1] },
      ...(isBatch ? [seenTokens] : []),
      ...inputs,
    ],
    [{ name: 'logits', type: 'float32', shape: [texts, head.shape()[0] ?? 0] }, ...outputs],
  );
}

/** The positions of the new tokens, and those of all tokens up to the last. */
function positionsOf(m: NetworkModule): { positions: Value; seen: Value } {
  const { graph } = m;
  const first = m.op('Squeeze', ['start', graph.int64Initializer([0])]);
  const count = m.op('Gather', [m.op('Shape', ['input_ids']), graph.int64Initializer([1], true)]);
  const step = graph.int64Initializer([1], true);
  return {
    positions: add(m, tokenPositions(m, 'input_ids'), 'start'),
    seen: m.op('Range', [graph.int64Initializer([0], true), add(m, first, count), step]),
  };
}

/** Gemma Team, "Gemma 2", 2024, section 2: limit · tanh(x / limit). */
function limited(m: NetworkModule, x: Value, limit: number | undefined): Value {
  if (limit === undefined) return x;
  return multiply(m, m.op('Tanh', [scaled(m, x, 1 / limit)]), m.graph.scalarInitializer(limit));
}
