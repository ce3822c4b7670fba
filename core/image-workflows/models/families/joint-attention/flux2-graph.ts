/**
 * The transformer of Flux 2 (Black Forest Labs, 2025; Flux2Transformer2DModel of diffusers) as an ONNX model. Unlike in
 * Flux 1, all blocks of a kind share their modulation, feed-forward networks are gated, and layers have no biases.
 */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { add, concat, scaled, silu, slice } from '../../layers/elementary.ts';
import { siluFeedForward, siluGate } from '../../layers/feed-forward.ts';
import {
  ADDED_TOKENS,
  attendTokens,
  headNorm,
  joinProjected,
  joinTokens,
  OWN_TOKENS,
  type Projected,
  project,
  splitTokens,
} from '../../layers/joint-attention.ts';
import { linear } from '../../layers/linear.ts';
import { addGated, type ModulationOrder, modulate, modulations, plainNorm } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { type Rotation, rotate, rotation } from '../../layers/rotary.ts';
import { embeddingLayers, sinusoid } from '../../layers/timestep-embedding.ts';

/** Image, row, column and place in the text take equal shares of a head's width. */
const AXES = 4;
const THETA = 2000;
/** The width of the sinusoid of a timestep or guidance scale. */
const SINUSOID = 256;
/** Timesteps and guidance scales are counted in thousandths. */
const UNIT = 1000;

/**
 * Inputs:
 * - `hidden_states` [batch, cells, channels]: the cells of the latent, and those of references after them.
 * - `encoder_hidden_states` [batch, tokens, width].
 * - `timestep` [1], from 0 to 1; for networks with distilled guidance `guidance` [batch].
 * - `img_ids` [cells, 4] and `txt_ids` [tokens, 4]: image, row, column and place in the text.
 *
 * Output: `out_hidden_states` [batch, cells, channels].
 * @param weights by their names in diffusers
 * @param order in the norm of the last layer
 * @throws ModelUnsupported when weights are missing
 */
export function flux2Graph(
  weights: ReadonlyMap<string, StoredTensor>,
  order: ModulationOrder,
): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const { graph } = root;
  const [width = 0, channels = 0] = root.at('x_embedder').shape();
  const [, textWidth = 0] = root.at('context_embedder').shape();
  const [headWidth = 0] = root.at('single_transformer_blocks.0.attn.norm_q').shape();
  const embedding = timeEmbedding(root);
  const shared: Shared = {
    width,
    headWidth,
    turned: rotation(root.at('pos_embed'), ['txt_ids', 'img_ids'], {
      widths: new Array<number>(AXES).fill(headWidth / AXES),
      theta: THETA,
    }),
    image: modulations(root.at('double_stream_modulation_img'), embedding, width),
    text: modulations(root.at('double_stream_modulation_txt'), embedding, width),
    single: modulations(root.at('single_stream_modulation'), embedding, width),
  };
  let image = linear(root.at('x_embedder'), 'hidden_states');
  let text = linear(root.at('context_embedder'), 'encoder_hidden_states');
  for (const block of root.list('transformer_blocks'))
    ({ image, text } = doubleBlock(block, image, text, shared));
  let both = joinTokens(root, text, image);
  for (const block of root.list('single_transformer_blocks')) both = singleBlock(block, both, shared);
  const [, last] = splitTokens(root, both, text);
  const parts = modulations(root.at('norm_out'), embedding, width);
  const [shift, scale] = order === 'shift scale' ? parts : parts.toReversed();
  const normed = modulate(root.at('norm_out'), plainNorm(root.at('norm_out'), last, width), shift!, scale!);
  graph.node('Identity', [linear(root.at('proj_out'), normed)], {}, 'out_hidden_states');
  const float = (name: string, ...shape: (string | number)[]): ValueInfo => ({
    name,
    type: 'float32',
    shape,
  });
  return graph.buildModel(
    [
      float('hidden_states', 'batch', 'cells', channels),
      float('encoder_hidden_states', 'batch', 'tokens', textWidth),
      float('timestep', 1),
      float('img_ids', 'cells', AXES),
      float('txt_ids', 'tokens', AXES),
      ...(hasGuidance(root) ? [float('guidance', 'batch')] : []),
    ],
    [float('out_hidden_states', 'batch', 'cells', root.at('proj_out').shape()[0]!)],
  );
}

const hasGuidance = (root: NetworkModule): boolean =>
  root.at('time_guidance_embed.guidance_embedder').exists();

/** The embedding of timestep and guidance after its activation. */
function timeEmbedding(root: NetworkModule): Value {
  const m = root.at('time_guidance_embed');
  const embedded = (part: string, numbers: Value) => {
    const embedder = m.at(part);
    return embeddingLayers(embedder, sinusoid(embedder, scaled(embedder, numbers, UNIT), SINUSOID));
  };
  const time = embedded('timestep_embedder', 'timestep');
  return silu(m, hasGuidance(root) ? add(m, time, embedded('guidance_embedder', 'guidance')) : time);
}

interface Shared {
  readonly width: number;
  readonly headWidth: number;
  readonly turned: Rotation;
  /** Shifts, scales and gates: one for attention and one for the feed-forward network. */
  readonly image: readonly Value[];
  readonly text: readonly Value[];
  /** One shift, scale and gate. */
  readonly single: readonly Value[];
}

/** Image and text with weights of their own, which see each other in attention. */
function doubleBlock(m: NetworkModule, image: Value, text: Value, shared: Shared) {
  const { width, headWidth } = shared;
  const attention = m.at('attn');
  const seen = (x: Value, [shift, scale]: readonly Value[]) =>
    modulate(m, plainNorm(m, x, width), shift!, scale!);
  const projected = joinProjected(
    attention,
    project(attention, seen(text, shared.text), ADDED_TOKENS, headWidth),
    project(attention, seen(image, shared.image), OWN_TOKENS, headWidth),
  );
  const [textMixed, imageMixed] = splitTokens(attention, attend(attention, projected, shared), text);
  const after = (x: Value, mixed: Value, parts: readonly Value[], feedForward: NetworkModule) => {
    const changed = addGated(m, x, parts[2]!, mixed);
    return addGated(m, changed, parts[5]!, siluFeedForward(feedForward, seen(changed, parts.slice(3))));
  };
  return {
    image: after(image, linear(attention.at('to_out.0'), imageMixed), shared.image, m.at('ff')),
    text: after(text, linear(attention.at('to_add_out'), textMixed), shared.text, m.at('ff_context')),
  };
}

/** Attention and feed-forward network run side by side, and share both projections. */
function singleBlock(m: NetworkModule, x: Value, shared: Shared): Value {
  const { width, headWidth } = shared;
  const [shift, scale, gate] = shared.single;
  const attention = m.at('attn');
  const normed = modulate(m, plainNorm(m, x, width), shift!, scale!);
  const projection = attention.at('to_qkv_mlp_proj');
  const all = linear(projection, normed);
  const [query, key, value] = [0, 1, 2].map((at) => slice(attention, all, -1, at * width, (at + 1) * width));
  const projected: Projected = [
    headNorm(attention.at('norm_q'), query!, headWidth),
    headNorm(attention.at('norm_k'), key!, headWidth),
    value!,
  ];
  const inner = slice(attention, all, -1, 3 * width, projection.shape()[0]!);
  const fed = siluGate(attention, inner, (projection.shape()[0]! - 3 * width) / 2);
  const mixed = concat(attention, -1, attend(attention, projected, shared), fed);
  return addGated(m, x, gate!, linear(attention.at('to_out'), mixed));
}

function attend(
  m: NetworkModule,
  [query, key, value]: Projected,
  { width, headWidth, turned }: Shared,
): Value {
  return attendTokens(m, [rotate(m, query, turned), rotate(m, key, turned), value], width, headWidth);
}
