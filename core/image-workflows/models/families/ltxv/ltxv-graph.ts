/**
 * The transformer of LTX Video as an ONNX model. Source: HaCohen et al., "LTX-Video: realtime video latent diffusion",
 * 2024, section 3.1.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import { add, multiply, reshape, scaled, silu, slice } from '../../layers/elementary.ts';
import { tanhFeedForward } from '../../layers/feed-forward.ts';
import { linear } from '../../layers/linear.ts';
import { modulate, plainNorm } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { plainRmsNorm, rmsNorm } from '../../layers/rms-norm.ts';
import { type Rotation, rotate } from '../../layers/rotary.ts';
import { tanhGelu } from '../../layers/tanh-gelu.ts';
import { embeddingLayers, sinusoid } from '../../layers/timestep-embedding.ts';
import { HIDDEN_SCORE } from '../../layers/token-embedding.ts';

/** All published networks have as many. */
const HEADS = 32;
const TIME_WIDTH = 256;
/** The timestep of pure noise in the network's training. Its input is 1 there. */
const TRAINING_STEPS = 1000;
/** In the norms of queries and keys. */
const EPSILON = 1e-5;

/**
 * Inputs:
 * - `hidden_states` [batch, tokens, channels]: cells of the latent;
 * - `timestep` [1 or tokens], 0 to 1;
 * - `encoder_hidden_states` [batch, text tokens, width];
 * - `attention_mask` [batch, text tokens]: 0 for tokens that are not seen;
 * - `angles` [tokens, width / 2]: by which pairs of numbers turn, over all heads.
 *
 * Output: `out_hidden_states`, as `hidden_states`.
 * @throws ModelUnsupported when weights are missing
 */
export function ltxvGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const [width = 0, channels = 0] = root.at('patchify_proj').shape();
  const [, textWidth = 0] = root.at('caption_projection.linear_1').shape();
  const adaptive = root.at('adaln_single');
  const sines = sinusoid(adaptive, scaled(root, 'timestep', TRAINING_STEPS), TIME_WIDTH);
  const time = embeddingLayers(adaptive.at('emb.timestep_embedder'), sines);
  const parts = linear(adaptive.at('linear'), silu(root, time));
  const caption = root.at('caption_projection');
  const text = linear(
    caption.at('linear_2'),
    tanhGelu(caption, linear(caption.at('linear_1'), 'encoder_hidden_states')),
  );
  const turn = { cosines: root.op('Cos', ['angles']), sines: root.op('Sin', ['angles']) };
  let x = linear(root.at('patchify_proj'), 'hidden_states');
  const inputs: BlockInputs = { parts, text, hidden: hiddenScores(root), turn, width };
  for (const m of root.list('transformer_blocks')) x = block(m, x, inputs);
  const last = root.at('norm_out');
  const [shift, scale] = modulation(root, reshape(root, time, -1, 1, width), width);
  const normed = modulate(last, plainNorm(last, x, width), shift!, scale!);
  root.graph.node('Identity', [linear(root.at('proj_out'), normed)], {}, 'out_hidden_states');
  return root.graph.buildModel(
    [
      { name: 'hidden_states', type: 'float32', shape: ['batch', 'tokens', channels] },
      { name: 'timestep', type: 'float32', shape: ['times'] },
      { name: 'encoder_hidden_states', type: 'float32', shape: ['batch', 'text tokens', textWidth] },
      { name: 'attention_mask', type: 'float32', shape: ['batch', 'text tokens'] },
      { name: 'angles', type: 'float32', shape: ['tokens', width / 2] },
    ],
    [{ name: 'out_hidden_states', type: 'float32', shape: ['batch', 'tokens', channels] }],
  );
}

/** Added to the scores of text tokens: [batch, 1, 1, text tokens]. */
function hiddenScores(m: NetworkModule): Value {
  const absent = m.op('Sub', [m.graph.scalarInitializer(1), 'attention_mask']);
  return m.op('Unsqueeze', [scaled(m, absent, HIDDEN_SCORE), m.graph.int64Initializer([1, 2])]);
}

interface BlockInputs {
  /** Shifts, scales and gates for each time, [times, 6 · width]. */
  parts: Value;
  text: Value;
  /** Added to the scores of the text's tokens. */
  hidden: Value;
  turn: Rotation;
  width: number;
}

function block(m: NetworkModule, x: Value, { parts, text, hidden, turn, width }: BlockInputs): Value {
  const [shift, scale, gate, lastShift, lastScale, lastGate] = modulation(
    m,
    reshape(m, parts, -1, 6, width),
    width,
  ) as [Value, Value, Value, Value, Value, Value];
  const normed = modulate(m, plainRmsNorm(m, x), shift, scale);
  const seen = add(m, x, multiply(m, attention(m.at('attn1'), normed, normed, { turn }), gate));
  const prompted = add(m, seen, attention(m.at('attn2'), seen, text, { hidden }));
  const inner = modulate(m, plainRmsNorm(m, prompted), lastShift, lastScale);
  return add(m, prompted, multiply(m, tanhFeedForward(m.at('ff'), inner), lastGate));
}

/** The rows of `scale_shift_table` plus those of the times: [1, times, width] each. */
function modulation(m: NetworkModule, rows: Value, width: number): Value[] {
  const [count = 0] = m.shape('scale_shift_table');
  const all = add(m, rows, m.parameter('scale_shift_table'));
  return Array.from({ length: count }, (_, at) => reshape(m, slice(m, all, 1, at, at + 1), 1, -1, width));
}

/** All heads of a token are normed together, and turned as one. */
function attention(
  m: NetworkModule,
  x: Value,
  context: Value,
  { turn, hidden }: { turn?: Rotation; hidden?: Value },
): Value {
  const [width = 0] = m.at('to_q').shape();
  const project = (projection: string, norm: string, tokens: Value) => {
    const normed = rmsNorm(m.at(norm), linear(m.at(projection), tokens), { epsilon: EPSILON });
    return turn ? rotate(m, normed, turn) : normed;
  };
  const projected = [
    project('to_q', 'q_norm', x),
    project('to_k', 'k_norm', context),
    linear(m.at('to_v'), context),
  ] as const;
  const mask = hidden !== undefined && { isDecomposed: true, mask: hidden };
  return linear(m.at('to_out.0'), attend(m, projected, width, { heads: HEADS, ...mask }));
}
