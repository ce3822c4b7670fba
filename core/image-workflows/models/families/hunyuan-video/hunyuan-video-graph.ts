/**
 * The transformers of Hunyuan Video and Hunyuan Image as ONNX models: blocks as those of Flux after a refinement of the
 * text. Source: Kong et al., "HunyuanVideo: a systematic framework for large video generative models", 2025, section 4.2.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import { add, multiply, reshape, scaled, silu, slice } from '../../layers/elementary.ts';
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
/** The parts of a head that turn with frame, row and column, or with row and column. */
const AXES: Readonly<Record<number, readonly number[]>> = { 3: [16, 56, 56], 2: [64, 64] };

/**
 * Inputs:
 * - `hidden_states` [batch, cells, features]: patches of the latent, channel by channel;
 * - `timestep` [1], 0 to 1000;
 * - `encoder_hidden_states` [batch, tokens, width], and the mean of all tokens `text_mean` [batch, width];
 * - some networks: `pooled_projections` [batch, width] and `guidance` [batch];
 * - `img_ids` [cells, axes] and `txt_ids` [tokens, axes]: positions.
 *
 * Output: `out_hidden_states`, as `hidden_states`.
 * @param weights blocks by their names in diffusers, others by those of the file
 * @throws ModelUnsupported when weights are missing
 */
export function hunyuanVideoGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const [width = 0, ...patch] = root.at('img_in.proj').shape();
  const features = patch.reduce((product, side) => product * side, 1);
  const [, textWidth = 0] = root.at('txt_in.input_embedder').shape();
  const axes = patch.length - 1;
  const sines = sinusoid(root, 'timestep', SINUSOID);
  const embedding = conditionEmbedding(root, sines);
  const turned = rotation(root.at('pos_embed'), ['txt_ids', 'img_ids'], {
    widths: AXES[axes]!,
    theta: THETA,
  });
  const modulation = (norm: NetworkModule) => modulations(norm, embedding, width);
  const shared: Shared = { width, headWidth: HEAD_WIDTH, modulation, turned };
  const image = patchEmbedding(root.at('img_in.proj'), width, features);
  const text = refinedText(root.at('txt_in'), sines, width);
  root.graph.node('Identity', [fluxTokens(root, image, text, shared)], {}, 'out_hidden_states');
  const float = (name: string, ...shape: (string | number)[]) => ({ name, type: 'float32' as const, shape });
  const pooled = root.at('time_text_embed.text_embedder.linear_1');
  return root.graph.buildModel(
    [
      float('hidden_states', 'batch', 'cells', features),
      float('timestep', 1),
      float('encoder_hidden_states', 'batch', 'tokens', textWidth),
      float('text_mean', 'batch', textWidth),
      float('img_ids', 'cells', axes),
      float('txt_ids', 'tokens', axes),
      ...(pooled.exists() ? [float('pooled_projections', 'batch', pooled.shape()[1]!)] : []),
      ...(root.at('time_text_embed.guidance_embedder').exists() ? [float('guidance', 'batch')] : []),
    ],
    [float('out_hidden_states', 'batch', 'cells', root.at('proj_out').shape()[0]!)],
  );
}

/** Timestep, pooled text and guidance scale: [batch, width], after the activation. */
function conditionEmbedding(root: NetworkModule, sines: Value): Value {
  const m = root.at('time_text_embed');
  let sum = embeddingLayers(m.at('timestep_embedder'), sines);
  if (m.at('text_embedder').exists())
    sum = add(m, sum, embeddingLayers(m.at('text_embedder'), 'pooled_projections'));
  const guidance = m.at('guidance_embedder');
  if (guidance.exists()) {
    const scale = sinusoid(guidance, scaled(guidance, 'guidance', GUIDANCE_UNIT), SINUSOID);
    sum = add(m, sum, embeddingLayers(guidance, scale));
  }
  return silu(m, sum);
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
