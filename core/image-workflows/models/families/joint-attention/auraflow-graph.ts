/**
 * The transformer of AuraFlow (Fal, "Introducing AuraFlow v0.1, an open exploration of large rectified flow models",
 * 2024). Its structure follows from the names and shapes of its weights.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { add, concat, dimensions, multiply, reshape, scaled, silu } from '../../layers/elementary.ts';
import {
  ADDED_TOKENS,
  attendTokens,
  joinProjected,
  joinTokens,
  OWN_TOKENS,
  type Projected,
  type ProjectionNames,
  splitTokens,
} from '../../layers/joint-attention.ts';
import { linear } from '../../layers/linear.ts';
import { addGated, type ModulationOrder, modulate, modulations, plainNorm } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { cellsToTokens, patchesToImage, patchSides } from '../../layers/patches.ts';
import { pixelUnshuffle } from '../../layers/pixel-shuffle.ts';
import { tablePositions, withSquareTable } from '../../layers/table-positions.ts';
import { embeddingLayers, sinusoid } from '../../layers/timestep-embedding.ts';

const PATCH = 2;
const HEADS = 12;
const TIME_WIDTH = 256;
const UNIT = 1000;
const EPSILON = 1e-5;

/**
 * The ONNX model of the transformer in the diffusers layout.
 * Inputs: `hidden_states` [batch, channels, height, width] with even sides, `encoder_hidden_states` [batch, tokens,
 * width], `timestep` [1] from 0 to 1.
 * Output: `out_hidden_states`, as large as `hidden_states`.
 * @param weights by their names in diffusers
 * @param order of scale and shift in the last layer
 * @throws ModelUnsupported when weights are missing
 */
export function auraFlowGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  order: ModulationOrder,
): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder(withSquareTable(weights));
  const root = new NetworkModule(graph);
  const embedder = root.at('pos_embed');
  const [width = 0, features = 0] = embedder.at('proj').shape();
  const channels = features / PATCH ** 2;
  const patches = pixelUnshuffle(embedder, 'hidden_states', channels, PATCH);
  const sides = patchSides(root, patches);
  const timestep = sinusoid(root.at('time_step_embed'), scaled(root, 'timestep', UNIT), TIME_WIDTH);
  const shared: Shared = { width, time: silu(root, embeddingLayers(root.at('time_step_proj'), timestep)) };
  const projected = linear(embedder.at('proj'), cellsToTokens(embedder, patches));
  let image = add(root, projected, tablePositions(embedder, sides));
  let text = withRegisters(root, linear(root.at('context_embedder'), 'encoder_hidden_states'));
  for (const block of root.list('joint_transformer_blocks'))
    ({ image, text } = jointBlock(block, image, text, shared));
  let both = joinTokens(root, text, image);
  for (const block of root.list('single_transformer_blocks')) both = singleBlock(block, both, shared);
  const [, last] = splitTokens(root, both, text);
  const norm = root.at('norm_out');
  const parts = modulations(norm, shared.time, width);
  const [shift, scale] = order === 'shift scale' ? parts : parts.toReversed();
  const output = linear(root.at('proj_out'), modulate(norm, last, shift!, scale!));
  graph.node('Identity', [patchesToImage(root, output, sides, PATCH)], {}, 'out_hidden_states');
  const [, textWidth = 0] = root.at('context_embedder').shape();
  return graph.buildModel(
    [
      { name: 'hidden_states', type: 'float32', shape: ['batch', channels, 'height', 'width'] },
      { name: 'encoder_hidden_states', type: 'float32', shape: ['batch', 'tokens', textWidth] },
      { name: 'timestep', type: 'float32', shape: [1] },
    ],
    [{ name: 'out_hidden_states', type: 'float32', shape: ['batch', channels, 'height', 'width'] }],
  );
}

interface Shared {
  readonly width: number;
  readonly time: Value;
}

/** Learned tokens before the text, for all prompts (Darcet et al., "Vision transformers need registers", 2024). */
function withRegisters(m: NetworkModule, text: Value): Value {
  const { graph } = m;
  const registers = graph.externalFloats('register_tokens');
  const batch = dimensions(m, text, 0, 1);
  const repeated = m.op('Expand', [registers, concat(m, 0, batch, graph.int64Initializer([1, 1]))]);
  return joinTokens(m, repeated, text);
}

function jointBlock(m: NetworkModule, image: Value, text: Value, shared: Shared) {
  const own = stream(m, image, shared, { norm: 'norm1', feedForward: 'ff' });
  const other = stream(m, text, shared, { norm: 'norm1_context', feedForward: 'ff_context' });
  const attention = m.at('attn');
  const both = joinProjected(
    attention,
    project(attention, other.seen, ADDED_TOKENS, shared),
    project(attention, own.seen, OWN_TOKENS, shared),
  );
  const [textMixed, imageMixed] = splitTokens(attention, attend(attention, both, shared), text);
  return {
    image: own.after(linear(attention.at('to_out.0'), imageMixed)),
    text: other.after(linear(attention.at('to_add_out'), textMixed)),
  };
}

function singleBlock(m: NetworkModule, x: Value, shared: Shared): Value {
  const { seen, after } = stream(m, x, shared, { norm: 'norm1', feedForward: 'ff' });
  const attention = m.at('attn');
  const mixed = attend(attention, project(attention, seen, OWN_TOKENS, shared), shared);
  return after(linear(attention.at('to_out.0'), mixed));
}

/** Tokens as a block's attention sees them, and the rest of the block. */
function stream(
  m: NetworkModule,
  x: Value,
  { width, time }: Shared,
  names: { norm: string; feedForward: string },
) {
  const norm = m.at(names.norm);
  const [shift, scale, gate, shift2, scale2, gate2] = modulations(norm, time, width);
  return {
    seen: modulate(norm, plainNorm(norm, x, width, EPSILON), shift!, scale!),
    after: (mixed: Value) => {
      const norm2 = m.at(names.norm.replace('1', '2'));
      const normed = plainNorm(norm2, addGated(m, x, gate!, mixed), width, EPSILON);
      // Only the feed-forward network changes the stream: what attention found reaches it alone.
      const fed = gatedFeedForward(m.at(names.feedForward), modulate(norm2, normed, shift2!, scale2!));
      return addGated(m, x, gate2!, fed);
    },
  };
}

const gatedFeedForward = (m: NetworkModule, x: Value): Value =>
  linear(
    m.at('out_projection'),
    multiply(m, silu(m, linear(m.at('linear_1'), x)), linear(m.at('linear_2'), x)),
  );

/** The norms of queries and keys have no weights. */
function project(m: NetworkModule, x: Value, { projections }: ProjectionNames, { width }: Shared): Projected {
  const [query, key, value] = projections.map((name) => linear(m.at(name), x)) as [Value, Value, Value];
  const size = width / HEADS;
  const normed = (each: Value) =>
    reshape(m, plainNorm(m, reshape(m, each, 0, 0, -1, size), size, EPSILON), 0, 0, -1);
  return [normed(query), normed(key), value];
}

const attend = (m: NetworkModule, projected: Projected, { width }: Shared): Value =>
  attendTokens(m, projected, width, width / HEADS);
