/** The transformer of HiDream (HiDream-ai, "HiDream-I1", 2025, section 3.2) as an ONNX model. */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { add, dimensions, silu, slice } from '../../layers/elementary.ts';
import { expertLayer } from '../../layers/expert-layer.ts';
import { swiGluFeedForward } from '../../layers/feed-forward.ts';
import {
  attendTokens,
  joinProjected,
  joinTokens,
  type Projected,
  splitTokens,
} from '../../layers/joint-attention.ts';
import { linear } from '../../layers/linear.ts';
import { addGated, modulate, plainNorm } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { rmsNorm } from '../../layers/rms-norm.ts';
import { type Rotation, rotate, rotation } from '../../layers/rotary.ts';
import { embeddingLayers, sinusoid } from '../../layers/timestep-embedding.ts';

const HEAD_WIDTH = 128;
/** The parts of a head that turn with layer, row and column. */
const AXES = { widths: [64, 32, 32], theta: 10_000 };
const SINUSOID = 256;
/** In the norms of queries and keys. */
const EPSILON = 1e-5;

/**
 * Inputs:
 * - `hidden_states` [batch, cells, features]: 2 x 2 latent cells each, with the channels of a cell next to each other;
 * - `timestep` [1], 0 to 1000;
 * - `encoder_hidden_states` [batch, tokens, width]: the prompt by T5;
 * - `language_layers` [batch, layers, tokens, width]: the prompt by each layer of Llama;
 * - `pooled_projections` [batch, width]: the prompt by both CLIPs;
 * - `img_ids` [cells, 3] and `txt_ids` [text tokens, 3]: positions. The tokens are T5's, then Llama's twice.
 *
 * Output: `out_hidden_states`, as `hidden_states`.
 * @throws ModelUnsupported when weights are missing
 */
export function hidreamGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const [width = 0, features = 0] = root.at('x_embedder.proj').shape();
  const projections = root.list('caption_projection').map((m) => m.at('linear'));
  const blocks = ['double_stream_blocks', 'single_stream_blocks'].map((name) =>
    root.list(name).map((m) => m.at('block')),
  );
  const [double = [], single = []] = blocks;
  const count = double.length + single.length;
  const layers = Array.from({ length: count }, (_, at) => linear(projections[at]!, languageLayer(root, at)));
  const shared: Shared = {
    width,
    embedding: conditionEmbedding(root),
    turned: rotation(root.at('pe_embedder'), ['img_ids', 'txt_ids'], AXES),
  };
  let image = linear(root.at('x_embedder.proj'), 'hidden_states');
  const first = joinTokens(root, linear(projections[count]!, 'encoder_hidden_states'), layers[count - 1]!);
  let text = first;
  for (const [at, m] of double.entries()) {
    const both = doubleBlock(m, image, joinTokens(m, text, layers[at]!), shared);
    image = both.image;
    [text] = splitTokens(m, both.text, first);
  }
  let all = joinTokens(root, image, text);
  const start = all;
  for (const [at, m] of single.entries()) {
    const joined = joinTokens(m, all, layers[double.length + at]!);
    [all] = splitTokens(m, singleBlock(m, joined, shared), start);
  }
  const output = lastLayer(root.at('final_layer'), splitTokens(root, all, image)[0], shared);
  root.graph.node('Identity', [output], {}, 'out_hidden_states');
  const float = (name: string, ...shape: (string | number)[]) => ({ name, type: 'float32' as const, shape });
  const [, pooledWidth = 0] = root.at('p_embedder.pooled_embedder.linear_1').shape();
  return root.graph.buildModel(
    [
      float('hidden_states', 'batch', 'cells', features),
      float('timestep', 1),
      float('encoder_hidden_states', 'batch', 'tokens', projections[count]!.shape()[1]!),
      float('language_layers', 'batch', 'layers', 'language tokens', projections[0]!.shape()[1]!),
      float('pooled_projections', 'batch', pooledWidth),
      float('img_ids', 'cells', 3),
      float('txt_ids', 'text tokens', 3),
    ],
    [float('out_hidden_states', 'batch', 'cells', root.at('final_layer.linear').shape()[0]!)],
  );
}

/**
 * The tokens of Llama for a block: [batch, tokens, width]. Each block takes the next layer. Those after Llama's last
 * layer take that one, as the list `llama_layers` of the published configurations says.
 */
function languageLayer(root: NetworkModule, block: number): Value {
  const { graph } = root;
  const last = root.op('Sub', [dimensions(root, 'language_layers', 1, 2), graph.int64Initializer([1])]);
  const index = root.op('Min', [graph.int64Initializer([block]), last]);
  const layer = root.op('Gather', ['language_layers', index], { axis: 1 });
  return root.op('Squeeze', [layer, graph.int64Initializer([1])]);
}

interface Shared {
  width: number;
  /** The embedding of the timestep and the pooled prompt, after the activation: [batch, width]. */
  embedding: Value;
  turned: Rotation;
}

function conditionEmbedding(root: NetworkModule): Value {
  const m = root.at('t_embedder');
  const time = embeddingLayers(m.at('timestep_embedder'), sinusoid(m, 'timestep', SINUSOID));
  return silu(
    root,
    add(root, time, embeddingLayers(root.at('p_embedder.pooled_embedder'), 'pooled_projections')),
  );
}

/** Shifts, scales and gates: [batch, 1, width] each. */
function modulations(m: NetworkModule, { width, embedding }: Shared): Value[] {
  const projection = m.at('adaLN_modulation.1');
  const all = m.op('Unsqueeze', [linear(projection, embedding), m.graph.int64Initializer([1])]);
  const count = projection.shape()[0]! / width;
  return Array.from({ length: count }, (_, at) => slice(m, all, -1, at * width, (at + 1) * width));
}

const normed = (m: NetworkModule, x: Value, shift: Value, scale: Value, { width }: Shared): Value =>
  modulate(m, plainNorm(m, x, width), shift, scale);

/** @param ending of the names of the projections: `_t` for those of the text */
function projected(m: NetworkModule, x: Value, ending: '' | '_t'): Projected {
  const part = (name: string) => linear(m.at(`to_${name}${ending}`), x);
  const norm = (name: string) => rmsNorm(m.at(`${name}_rms_norm${ending}`), part(name), { epsilon: EPSILON });
  return [norm('q'), norm('k'), part('v')];
}

const mixed = (m: NetworkModule, [query, key, value]: Projected, { width, turned }: Shared): Value =>
  attendTokens(m, [rotate(m, query, turned), rotate(m, key, turned), value], width, HEAD_WIDTH);

function doubleBlock(
  m: NetworkModule,
  image: Value,
  text: Value,
  shared: Shared,
): { image: Value; text: Value } {
  const parts = modulations(m, shared);
  const [imageParts, textParts] = [parts.slice(0, 6), parts.slice(6)];
  const attention = m.at('attn1');
  const both = joinProjected(
    attention,
    projected(attention, normed(m, image, imageParts[0]!, imageParts[1]!, shared), ''),
    projected(attention, normed(m, text, textParts[0]!, textParts[1]!, shared), '_t'),
  );
  const [ofImage, ofText] = splitTokens(attention, mixed(attention, both, shared), image);
  const seenImage = addGated(m, image, imageParts[2]!, linear(attention.at('to_out'), ofImage));
  const seenText = addGated(m, text, textParts[2]!, linear(attention.at('to_out_t'), ofText));
  const [, , , shift, scale, gate] = textParts;
  const fed = swiGluFeedForward(m.at('ff_t'), normed(m, seenText, shift!, scale!, shared));
  return { image: fedImage(m, seenImage, imageParts, shared), text: addGated(m, seenText, gate!, fed) };
}

/** Image and text are one stream. */
function singleBlock(m: NetworkModule, x: Value, shared: Shared): Value {
  const parts = modulations(m, shared);
  const attention = m.at('attn1');
  const own = projected(attention, normed(m, x, parts[0]!, parts[1]!, shared), '');
  const change = linear(attention.at('to_out'), mixed(attention, own, shared));
  return fedImage(m, addGated(m, x, parts[2]!, change), parts, shared);
}

function fedImage(
  m: NetworkModule,
  x: Value,
  [, , , shift, scale, gate]: readonly Value[],
  shared: Shared,
): Value {
  return addGated(m, x, gate!, expertLayer(m.at('ff_i'), normed(m, x, shift!, scale!, shared)));
}

/** Its output points from noise to image, and that of other networks from image to noise. */
function lastLayer(m: NetworkModule, x: Value, shared: Shared): Value {
  const [shift, scale] = modulations(m, shared);
  return m.op('Neg', [linear(m.at('linear'), normed(m, x, shift!, scale!, shared))]);
}
