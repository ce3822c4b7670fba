/**
 * The transformer of Stable Diffusion 3 and 3.5 (Esser et al., "Scaling rectified flow transformers for high-resolution
 * image synthesis", 2024, section 4). Its structure follows from the names and shapes of its weights.
 */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { add, silu } from '../../layers/elementary.ts';
import { tanhFeedForward } from '../../layers/feed-forward.ts';
import {
  ADDED_TOKENS,
  attendTokens,
  joinProjected,
  OWN_TOKENS,
  project,
  splitTokens,
} from '../../layers/joint-attention.ts';
import { linear } from '../../layers/linear.ts';
import {
  addGated,
  type ModulationOrder,
  modulate,
  modulatedNorm,
  modulations,
  plainNorm,
} from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { cellsToTokens, patchesOf, patchesToImage, patchSides } from '../../layers/patches.ts';
import { tablePositions, withSquareTable } from '../../layers/table-positions.ts';
import { embeddingLayers, sinusoid } from '../../layers/timestep-embedding.ts';
import { addResidual, residualInputs } from './residual-inputs.ts';

export interface Sd3Options {
  /** Default: 64 */
  headWidth?: number;
  /** In the norms of the last layer, and of the last block's text. */
  order: ModulationOrder;
}

/** The width of the sinusoid of a timestep. */
const TIME_WIDTH = 256;

/**
 * The ONNX model of the transformer in the diffusers layout.
 * Inputs:
 * - `hidden_states` [batch, channels, height, width]: a latent with even sides.
 * - `encoder_hidden_states` [batch, tokens, width] and `pooled_projections` [batch, width].
 * - `timestep` [1], from 0 to 1000.
 * - A residual of control nets for each block but the last: see `residualInputs`.
 *
 * Output: `out_hidden_states`, as large as `hidden_states`.
 * @param weights by their names in diffusers
 * @throws ModelUnsupported when weights are missing
 */
export function sd3Graph(
  weights: ReadonlyMap<string, StoredTensor>,
  { headWidth = 64, order }: Sd3Options,
): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder(withSquareTable(weights));
  const root = new NetworkModule(graph);
  const blocks = root.list('transformer_blocks');
  const projection = root.at('pos_embed.proj');
  const [width = 0, channels = 0, , patch = 2] = projection.shape();
  const patches = patchesOf(projection, 'hidden_states');
  const sides = patchSides(root, patches);
  const time = silu(root, timeAndText(root.at('time_text_embed')));
  const shared = { time, headWidth, width, order };
  let tokens: Tokens = {
    image: add(root, cellsToTokens(root, patches), tablePositions(root.at('pos_embed'), sides)),
    text: linear(root.at('context_embedder'), 'encoder_hidden_states'),
  };
  for (const [index, block] of blocks.entries()) {
    const { image, text } = jointBlock(block, tokens, shared);
    // Control nets leave the last block alone.
    tokens = { image: index < blocks.length - 1 ? addResidual(root, image, index) : image, text };
  }
  const last = linear(
    root.at('proj_out'),
    modulatedNorm(root.at('norm_out'), tokens.image, time, width, order),
  );
  const outputs = root.at('proj_out').shape()[0]! / patch ** 2;
  graph.node('Identity', [patchesToImage(root, last, sides, patch)], {}, 'out_hidden_states');
  return graph.buildModel(
    [...sd3Inputs(root, channels), ...residualInputs(blocks.length - 1)],
    [{ name: 'out_hidden_states', type: 'float32', shape: ['batch', outputs, 'height', 'width'] }],
  );
}

export function sd3Inputs(root: NetworkModule, channels: number): ValueInfo[] {
  const [, textWidth = 0] = root.at('context_embedder').shape();
  const [, pooledWidth = 0] = root.at('time_text_embed.text_embedder.linear_1').shape();
  return [
    { name: 'hidden_states', type: 'float32', shape: ['batch', channels, 'height', 'width'] },
    { name: 'encoder_hidden_states', type: 'float32', shape: ['batch', 'tokens', textWidth] },
    { name: 'pooled_projections', type: 'float32', shape: ['batch', pooledWidth] },
    { name: 'timestep', type: 'float32', shape: [1] },
  ];
}

export function timeAndText(m: NetworkModule): Value {
  const timestep = m.at('timestep_embedder');
  return add(
    m,
    embeddingLayers(timestep, sinusoid(timestep, 'timestep', TIME_WIDTH)),
    embeddingLayers(m.at('text_embedder'), 'pooled_projections'),
  );
}

export interface Tokens {
  image: Value;
  /** After the last block, these have no meaning. */
  text: Value;
}

interface Shared extends Required<Sd3Options> {
  time: Value;
  width: number;
}

/** Figure 2b, with the second attention of Stable Diffusion 3.5 medium. */
export function jointBlock(m: NetworkModule, { image, text }: Tokens, shared: Shared): Tokens {
  const { time, width, headWidth } = shared;
  const imageNorm = plainNorm(m.at('norm1'), image, width);
  const [shift, scale, gate, shift2, scale2, gate2, selfShift, selfScale, selfGate] = modulations(
    m.at('norm1'),
    time,
    width,
  );
  const seen = modulate(m.at('norm1'), imageNorm, shift!, scale!);
  const textStream = textBefore(m, text, shared);
  const attention = m.at('attn');
  const projected = joinProjected(
    attention,
    project(attention, seen, OWN_TOKENS, headWidth),
    project(attention, textStream.seen, ADDED_TOKENS, headWidth),
  );
  const mixed = attendTokens(attention, projected, width, headWidth);
  const [imageMixed, textMixed] = splitTokens(attention, mixed, image);
  let changed = addGated(m, image, gate!, linear(attention.at('to_out.0'), imageMixed));
  if (selfGate !== undefined) {
    const own = modulate(m.at('norm1'), imageNorm, selfShift!, selfScale!);
    changed = addGated(m, changed, selfGate, selfAttention(m.at('attn2'), own, width, headWidth));
  }
  const normed = modulate(m.at('norm2'), plainNorm(m.at('norm2'), changed, width), shift2!, scale2!);
  return {
    image: addGated(m, changed, gate2!, tanhFeedForward(m.at('ff'), normed)),
    text: textStream.after(textMixed),
  };
}

function selfAttention(m: NetworkModule, x: Value, width: number, headWidth: number): Value {
  const mixed = attendTokens(m, project(m, x, OWN_TOKENS, headWidth), width, headWidth);
  return linear(m.at('to_out.0'), mixed);
}

/** The text as a block's attention sees it, and the rest of the block for the text. The last block has no rest. */
function textBefore(m: NetworkModule, text: Value, { time, width, order }: Shared) {
  const norm = m.at('norm1_context');
  const feedForward = m.at('ff_context');
  if (!feedForward.exists())
    return { seen: modulatedNorm(norm, text, time, width, order), after: (mixed: Value) => mixed };
  const [shift, scale, gate, shift2, scale2, gate2] = modulations(norm, time, width);
  return {
    seen: modulate(norm, plainNorm(norm, text, width), shift!, scale!),
    after: (mixed: Value) => {
      const changed = addGated(m, text, gate!, linear(m.at('attn.to_add_out'), mixed));
      const norm2 = m.at('norm2_context');
      const normed = modulate(norm2, plainNorm(norm2, changed, width), shift2!, scale2!);
      return addGated(m, changed, gate2!, tanhFeedForward(feedForward, normed));
    },
  };
}
