/**
 * The transformers of Hunyuan Video and Hunyuan Image as ONNX models: blocks as those of Flux after a refinement of the
 * text. Source: Kong et al., "HunyuanVideo: a systematic framework for large video generative models", 2025, section 4.2.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import { add, concat, gelu, multiply, reshape, scaled, silu, slice } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { modulations } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import { rotation } from '../../layers/rotary.ts';
import { embeddingLayers, sinusoid } from '../../layers/timestep-embedding.ts';
import { fluxTokens, type Shared } from '../joint-attention/flux-graph.ts';

const HEAD_WIDTH = 128;
const SINUSOID = 256;
/** Guidance scales are counted in thousandths. */
const GUIDANCE_UNIT = 1000;
const THETA = 256;
/** In the norms of the text's refinement. */
const EPSILON = 1e-6;
/** The rows of `cond_type_embedding`. */
const KINDS = { text: 0, glyphs: 1, images: 2 } as const;
/** The parts of a head that turn with frame, row and column, or with row and column. */
const AXES: Readonly<Record<number, readonly number[]>> = { 3: [16, 56, 56], 2: [64, 64] };

/**
 * Inputs:
 * - `hidden_states` [batch, cells, features]: patches of the latent, channel by channel;
 * - `timestep` [1], 0 to 1000;
 * - `encoder_hidden_states` [batch, tokens, width], and the mean of all tokens `text_mean` [batch, width];
 * - some networks: `pooled_projections` [batch, width] and `guidance` [batch];
 * - some networks: `glyph_states` [batch, glyphs, width] of an encoder of letters, `vision_states` [batch, image tokens,
 *   width] of a vision encoder, and then `token_order` int64 [tokens]. The network sees only the tokens in that order:
 *   numbers among those of the image, of the glyphs and of the text;
 * - networks that know the next noise level: `next_timestep` [1], and `time_shares` [2], factors of both timesteps;
 * - `img_ids` [cells, axes] and `txt_ids` [tokens, axes]: positions.
 *
 * Output: `out_hidden_states`, as `hidden_states`.
 * @param weights blocks by their names in diffusers, others by those of the file
 * @param isFirstFrameGiven adds the inputs `cell_times` int64 [cells] and `all_times` int64 [tokens + cells], 0 for cells
 *   without noise and 1 for others
 * @throws ModelUnsupported when weights are missing
 */
export function hunyuanVideoGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  isFirstFrameGiven = false,
): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const [width = 0, ...patch] = root.at('img_in.proj').shape();
  const features = patch.reduce((product, side) => product * side, 1);
  const [, textWidth = 0] = root.at('txt_in.input_embedder').shape();
  const axes = patch.length - 1;
  const sines = sinusoid(root, 'timestep', SINUSOID);
  const times = root.at('time_text_embed.timestep_embedder');
  const fixed = fixedEmbeddings(root);
  const embedded = (time: Value) =>
    silu(
      root,
      fixed.reduce((sum, part) => add(root, sum, part), time),
    );
  const embedding = embedded(withNextLevel(root, embeddingLayers(times, sines)));
  const clean = isFirstFrameGiven ? embedded(embeddingLayers(times, noTime(root))) : undefined;
  const turned = rotation(root.at('pos_embed'), ['txt_ids', 'img_ids'], {
    widths: AXES[axes]!,
    theta: THETA,
  });
  const modulation = (norm: NetworkModule) =>
    clean ? timedModulations(norm, clean, embedding, width) : modulations(norm, embedding, width);
  const shared: Shared = { width, headWidth: HEAD_WIDTH, modulation, turned };
  const image = patchEmbedding(root.at('img_in.proj'), width, features);
  const text = allTokens(root, ofKind(root, refinedText(root.at('txt_in'), sines, width), 'text'));
  root.graph.node('Identity', [fluxTokens(root, image, text, shared)], {}, 'out_hidden_states');
  const float = (name: string, ...shape: (string | number)[]) => ({ name, type: 'float32' as const, shape });
  const int64 = (name: string, ...shape: (string | number)[]) => ({ name, type: 'int64' as const, shape });
  const pooled = root.at('time_text_embed.text_embedder.linear_1');
  const [glyphs, vision] = [root.at('byt5_in.fc1'), root.at('vision_in.proj.1')];
  const knowsNext = root.at('time_r_in').exists();
  return root.graph.buildModel(
    [
      float('hidden_states', 'batch', 'cells', features),
      float('timestep', 1),
      float('encoder_hidden_states', 'batch', 'tokens', textWidth),
      float('text_mean', 'batch', textWidth),
      float('img_ids', 'cells', axes),
      float('txt_ids', 'all tokens', axes),
      ...(pooled.exists() ? [float('pooled_projections', 'batch', pooled.shape()[1]!)] : []),
      ...(root.at('time_text_embed.guidance_embedder').exists() ? [float('guidance', 'batch')] : []),
      ...(glyphs.exists() ? [float('glyph_states', 'batch', 'glyphs', glyphs.shape()[1]!)] : []),
      ...(vision.exists() ? [float('vision_states', 'batch', 'image tokens', vision.shape()[1]!)] : []),
      ...(glyphs.exists() || vision.exists() ? [int64('token_order', 'all tokens')] : []),
      ...(knowsNext ? [float('next_timestep', 1), float('time_shares', 2)] : []),
      ...(isFirstFrameGiven ? [int64('cell_times', 'cells'), int64('all_times', 'all')] : []),
    ],
    [float('out_hidden_states', 'batch', 'cells', root.at('proj_out').shape()[0]!)],
  );
}

/** Pooled text and guidance scale, which are added to the timestep: [batch, width] each. */
function fixedEmbeddings(root: NetworkModule): Value[] {
  const [text, guidance] = ['text_embedder', 'guidance_embedder'].map((part) =>
    root.at(`time_text_embed.${part}`),
  ) as [NetworkModule, NetworkModule];
  const scale = () => sinusoid(guidance, scaled(guidance, 'guidance', GUIDANCE_UNIT), SINUSOID);
  return [
    ...(text.exists() ? [embeddingLayers(text, 'pooled_projections')] : []),
    ...(guidance.exists() ? [embeddingLayers(guidance, scale())] : []),
  ];
}

/** Distilled networks know the next noise level, too. */
function withNextLevel(root: NetworkModule, embedding: Value): Value {
  const m = root.at('time_r_in');
  if (!m.exists()) return embedding;
  const inner = silu(m, linear(m.at('in_layer'), sinusoid(m, 'next_timestep', SINUSOID)));
  const next = linear(m.at('out_layer'), inner);
  const share = (at: number) => slice(m, 'time_shares', 0, at, at + 1);
  return add(m, multiply(m, embedding, share(0)), multiply(m, next, share(1)));
}

/** The sinusoid of timestep 0. */
const noTime = (root: NetworkModule): Value =>
  root.constant('no_time', [1, SINUSOID], new Float32Array(SINUSOID).fill(1, 0, SINUSOID / 2));

/** Those of each token, by its own time: [batch, tokens, width] each. The text has noise. */
function timedModulations(norm: NetworkModule, clean: Value, noisy: Value, width: number): Value[] {
  const [of0, of1] = [clean, noisy].map((embedding) => modulations(norm, embedding, width));
  if (/norm1_context$/.test(norm.path)) return of1!;
  const times = norm.path.startsWith('single_') ? 'all_times' : 'cell_times';
  return of0!.map((value, at) => norm.op('Gather', [concat(norm, 1, value, of1![at]!), times], { axis: 1 }));
}

/** Tokens with the embedding of their kind, if the network has those. */
function ofKind(root: NetworkModule, tokens: Value, kind: keyof typeof KINDS): Value {
  const m = root.at('cond_type_embedding');
  return m.exists() ? add(m, tokens, slice(m, m.parameter(), 0, KINDS[kind], KINDS[kind] + 1)) : tokens;
}

/** The tokens of the image and of glyphs before those of the text. */
function allTokens(root: NetworkModule, text: Value): Value {
  const [glyphs, vision] = [root.at('byt5_in'), root.at('vision_in.proj')];
  const parts = [
    ...(vision.exists() ? [ofKind(root, imageTokens(vision), 'images')] : []),
    ...(glyphs.exists() ? [ofKind(root, glyphTokens(glyphs), 'glyphs')] : []),
    text,
  ];
  if (parts.length === 1) return text;
  return root.op('Gather', [concat(root, 1, ...parts), 'token_order'], { axis: 1 });
}

function glyphTokens(m: NetworkModule): Value {
  const first = gelu(m, linear(m.at('fc1'), layerNorm(m.at('layernorm'), 'glyph_states')));
  return linear(m.at('fc3'), gelu(m, linear(m.at('fc2'), first)));
}

function imageTokens(m: NetworkModule): Value {
  const inner = gelu(m, linear(m.at('1'), layerNorm(m.at('0'), 'vision_states')));
  return layerNorm(m.at('4'), linear(m.at('3'), inner));
}

/** The convolution of patches that do not overlap is a product. */
function patchEmbedding(m: NetworkModule, width: number, features: number): Value {
  const matrix = m.op('Transpose', [reshape(m, m.parameter(), width, features)], { perm: [1, 0] });
  return add(m, m.op('MatMul', ['hidden_states', matrix]), m.parameter('bias'));
}

/** The text's tokens see each other, before they see the image. */
function refinedText(m: NetworkModule, sines: Value, width: number): Value {
  const embedded = (name: string, x: Value) => {
    const inner = linear(m.at(`${name}.in_layer`), x);
    return linear(m.at(`${name}.out_layer`), silu(m.at(name), inner));
  };
  const condition = add(m, embedded('t_embedder', sines), embedded('c_embedder', 'text_mean'));
  const activated = silu(m, condition);
  let x = linear(m.at('input_embedder'), 'encoder_hidden_states');
  for (const block of m.list('individual_token_refiner.blocks')) x = refinerBlock(block, x, activated, width);
  return x;
}

function refinerBlock(m: NetworkModule, x: Value, condition: Value, width: number): Value {
  const gates = m.op('Unsqueeze', [
    linear(m.at('adaLN_modulation.1'), condition),
    m.graph.int64Initializer([1]),
  ]);
  const [first, second] = [0, 1].map((at) => slice(m, gates, -1, at * width, (at + 1) * width));
  const attention = m.at('self_attn');
  const all = linear(attention.at('qkv'), layerNorm(m.at('norm1'), x, EPSILON));
  const part = (at: number) => slice(attention, all, -1, at * width, (at + 1) * width);
  const mixed = attend(attention, [part(0), part(1), part(2)], width, { heads: width / HEAD_WIDTH });
  const seen = add(m, x, multiply(m, linear(attention.at('proj'), mixed), first!));
  const mlp = m.at('mlp');
  const inner = silu(mlp, linear(mlp.at('0'), layerNorm(m.at('norm2'), seen, EPSILON)));
  return add(m, seen, multiply(m, linear(mlp.at('2'), inner), second!));
}
