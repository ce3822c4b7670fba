/**
 * The transformer of Flux.1 (Labs et al., "FLUX.1 Kontext: flow matching for in-context image generation and editing in
 * latent space", 2025, section 3). Its structure follows from the names and shapes of its weights, as that of its
 * variants does.
 */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { add, concat, multiply, scaled, silu, slice } from '../../layers/elementary.ts';
import { gateUpFeedForward, tanhFeedForward } from '../../layers/feed-forward.ts';
import {
  ADDED_TOKENS,
  attendTokens,
  joinProjected,
  joinTokens,
  OWN_TOKENS,
  type Projected,
  project,
  splitTokens,
} from '../../layers/joint-attention.ts';
import { linear } from '../../layers/linear.ts';
import {
  addGated,
  type ModulationOrder,
  type ModulationSource,
  modulate,
  modulations,
  plainNorm,
} from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { rmsNorm } from '../../layers/rms-norm.ts';
import { type RotaryAxes, type Rotation, rotate, rotation } from '../../layers/rotary.ts';
import { tanhGelu } from '../../layers/tanh-gelu.ts';
import { embeddingLayers, sinusoid } from '../../layers/timestep-embedding.ts';
import { chromaModulations } from './chroma-modulations.ts';
import { addResidual, residualInputs } from './residual-inputs.ts';

export interface FluxOptions {
  /** In the norm of the last layer. */
  order: ModulationOrder;
  /** Default: layer, row and column of published networks. */
  axes?: RotaryAxes;
}

const USUAL_AXES: RotaryAxes = { widths: [16, 56, 56], theta: 10_000 };
/** The width of the sinusoid of a timestep or guidance scale. */
const SINUSOID = 256;
/** Timesteps and guidance scales are counted in thousandths. */
const UNIT = 1000;

/**
 * The ONNX model of the transformer in the diffusers layout.
 * Inputs:
 * - `hidden_states` [batch, cells, channels]: the image's tokens. Those of references may follow them.
 * - `encoder_hidden_states` [batch, tokens, width]; where its weights are stored `pooled_projections` [batch, width].
 * - `timestep` [1], from 0 to 1; for networks with distilled guidance `guidance` [batch].
 * - A residual of control nets for each block: see `residualInputs`.
 * - `img_ids` [cells, 3] and `txt_ids` [tokens, 3]: layer, row and column of each token.
 *
 * Output: `out_hidden_states` [batch, cells, channels].
 * @param weights by their names in diffusers
 * @throws ModelUnsupported when weights are missing
 */
export function fluxGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  { order, axes }: FluxOptions,
): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const { graph } = root;
  const { shared, ...start } = fluxStart(root, { order, ...(axes && { axes }) });
  const { width, modulation } = shared;
  let { image, text } = start;
  const doubles = root.list('transformer_blocks');
  for (const [index, block] of doubles.entries()) {
    ({ image, text } = doubleBlock(block, image, text, shared));
    image = addResidual(root, image, index);
  }
  let both = joinTokens(root, text, image);
  const singles = root.list('single_transformer_blocks');
  for (const [index, block] of singles.entries())
    both = addResidual(root, singleBlock(block, both, shared), index, 'single_');
  const [, last] = splitTokens(root, both, text);
  const [shift, scale] = modulation(root.at('norm_out'));
  const normed = modulate(root.at('norm_out'), plainNorm(root.at('norm_out'), last, width), shift!, scale!);
  graph.node('Identity', [linear(root.at('proj_out'), normed)], {}, 'out_hidden_states');
  const [outputs = 0] = root.at('proj_out').shape();
  const residuals = [...residualInputs(doubles.length), ...residualInputs(singles.length, 'single_')];
  return graph.buildModel(
    [...fluxInputs(root, root.at('x_embedder').shape()[1]!), ...residuals],
    [{ name: 'out_hidden_states', type: 'float32', shape: ['batch', 'cells', outputs] }],
  );
}

/**
 * The tokens before the first block, and what all blocks share.
 * @param textPositions [tokens, 3]
 * @param embed the image's tokens. Default: those of the input `hidden_states`
 */
export function fluxStart(
  root: NetworkModule,
  { order, axes = USUAL_AXES }: FluxOptions,
  textPositions: Value = 'txt_ids',
  embed = (): Value => linear(root.at('x_embedder'), 'hidden_states'),
): { image: Value; text: Value; shared: Shared } {
  const [width = 0] = root.at('context_embedder').shape();
  const headWidth = axes.widths.reduce((sum, axis) => sum + axis, 0);
  const modulation = isChroma(root) ? chromaModulations(root) : ownModulations(root, width, order);
  const turned = rotation(root.at('pos_embed'), [textPositions, 'img_ids'], axes);
  const [norm, prompt] = [root.at('context_embedder_norm'), 'encoder_hidden_states'];
  return {
    image: embed(),
    text: linear(root.at('context_embedder'), norm.exists() ? rmsNorm(norm, prompt) : prompt),
    shared: { width, headWidth, modulation, turned },
  };
}

const isChroma = (root: NetworkModule): boolean => root.at('distilled_guidance_layer').exists();
const pooledEmbedder = (root: NetworkModule): NetworkModule => root.at('time_text_embed.text_embedder');

/** @param channels of a token of the image */
export function fluxInputs(root: NetworkModule, channels: number): ValueInfo[] {
  const [, textWidth = 0] = root.at('context_embedder').shape();
  const pooled = pooledEmbedder(root);
  const float = (name: string, ...shape: (string | number)[]): ValueInfo => ({
    name,
    type: 'float32',
    shape,
  });
  return [
    float('hidden_states', 'batch', 'cells', channels),
    float('encoder_hidden_states', 'batch', 'tokens', textWidth),
    ...(pooled.exists() ? [float('pooled_projections', 'batch', pooled.at('linear_1').shape()[1]!)] : []),
    float('timestep', 1),
    float('img_ids', 'cells', 3),
    float('txt_ids', 'tokens', 3),
    ...(hasGuidance(root) ? [float('guidance', 'batch')] : []),
  ];
}

const hasGuidance = (root: NetworkModule): boolean => root.at('time_text_embed.guidance_embedder').exists();

/** Each norm projects the embedding of timestep, guidance and pooled text, as far as the network has them. */
function ownModulations(root: NetworkModule, width: number, order: ModulationOrder): ModulationSource {
  const m = root.at('time_text_embed');
  const embedded = (part: string, numbers: Value) => {
    const embedder = m.at(part);
    return embeddingLayers(embedder, sinusoid(embedder, scaled(embedder, numbers, UNIT), SINUSOID));
  };
  let sum = embedded('timestep_embedder', 'timestep');
  if (hasGuidance(root)) sum = add(m, sum, embedded('guidance_embedder', 'guidance'));
  const pooled = pooledEmbedder(root);
  if (pooled.exists()) sum = add(m, sum, embeddingLayers(pooled, 'pooled_projections'));
  const embedding = silu(m, sum);
  return (norm) => {
    const parts = modulations(norm, embedding, width);
    return norm.path === 'norm_out' && order === 'scale shift' ? parts.toReversed() : parts;
  };
}

export interface Shared {
  readonly width: number;
  readonly headWidth: number;
  readonly modulation: ModulationSource;
  /** Undefined: tokens have no positions. */
  readonly turned: Rotation | undefined;
}

/**
 * The blocks and the last layer of a network with the names of Flux, without control inputs. `image` and `text` are
 * embedded tokens, [batch, tokens, width]. Result: the image's tokens, [batch, tokens, values of a token].
 */
export function fluxTokens(root: NetworkModule, image: Value, text: Value, shared: Shared): Value {
  const last = fluxBlocks(root, image, text, shared);
  const norm = root.at('norm_out');
  const [shift, scale] = shared.modulation(norm);
  return linear(root.at('proj_out'), modulate(norm, plainNorm(norm, last, shared.width), shift!, scale!));
}

/** The image's tokens after all blocks, [batch, tokens, width]. */
export function fluxBlocks(root: NetworkModule, image: Value, text: Value, shared: Shared): Value {
  for (const block of root.list('transformer_blocks'))
    ({ image, text } = doubleBlock(block, image, text, shared));
  let both = joinTokens(root, text, image);
  for (const block of root.list('single_transformer_blocks')) both = singleBlock(block, both, shared);
  return splitTokens(root, both, text)[1];
}

/** Image and text with weights of their own, which see each other in attention. */
export function doubleBlock(m: NetworkModule, image: Value, text: Value, shared: Shared) {
  const { width, headWidth, modulation } = shared;
  const attention = m.at('attn');
  const [imageParts, textParts] = [modulation(m.at('norm1')), modulation(m.at('norm1_context'))];
  const seen = (norm: NetworkModule, x: Value, [shift, scale]: readonly Value[]) =>
    modulate(norm, plainNorm(norm, x, width), shift!, scale!);
  const projected = joinProjected(
    attention,
    project(attention, seen(m.at('norm1_context'), text, textParts), ADDED_TOKENS, headWidth),
    project(attention, seen(m.at('norm1'), image, imageParts), OWN_TOKENS, headWidth),
  );
  const [textMixed, imageMixed] = splitTokens(attention, attend(attention, projected, shared), text);
  const after = (x: Value, mixed: Value, [, , gate, ...rest]: readonly Value[], norm: string, ff: string) => {
    const changed = addGated(m, x, gate!, mixed);
    const normed = seen(m.at(norm), changed, rest);
    return addGated(m, changed, rest[2]!, feedForward(m.at(ff), normed));
  };
  return {
    image: after(image, linear(attention.at('to_out.0'), imageMixed), imageParts, 'norm2', 'ff'),
    text: after(
      text,
      linear(attention.at('to_add_out'), textMixed),
      textParts,
      'norm2_context',
      'ff_context',
    ),
  };
}

const feedForward = (m: NetworkModule, x: Value): Value =>
  m.at('gate_proj').exists() ? gateUpFeedForward(m, x) : tanhFeedForward(m, x);

/** Text and image as one sequence. Attention and feed-forward network run side by side, and share a projection. */
export function singleBlock(m: NetworkModule, x: Value, shared: Shared): Value {
  const { width, headWidth, modulation } = shared;
  const [shift, scale, gate] = modulation(m.at('norm'));
  const normed = modulate(m.at('norm'), plainNorm(m.at('norm'), x, width), shift!, scale!);
  const attention = m.at('attn');
  const mixed = attend(attention, project(attention, normed, OWN_TOKENS, headWidth), shared);
  const fed = activated(m, linear(m.at('proj_mlp'), normed), m.at('proj_out').shape()[1]! - width);
  return addGated(m, x, gate!, linear(m.at('proj_out'), concat(m, -1, mixed, fed)));
}

/** With twice as many values as `width`, the second half is the gate of the first. */
function activated(m: NetworkModule, x: Value, width: number): Value {
  if (m.at('proj_mlp').shape()[0] === width) return tanhGelu(m, x);
  return multiply(m, slice(m, x, -1, 0, width), silu(m, slice(m, x, -1, width, 2 * width)));
}

function attend(
  m: NetworkModule,
  [query, key, value]: Projected,
  { width, headWidth, turned }: Shared,
): Value {
  const placed = (x: Value) => (turned === undefined ? x : rotate(m, x, turned));
  return attendTokens(m, [placed(query), placed(key), value], width, headWidth);
}
