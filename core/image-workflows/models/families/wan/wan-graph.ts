/**
 * The transformers of Wan 2.1 and 2.2 as ONNX models. Source: Wan Team, "Wan: open and advanced large-scale video
 * generative models", 2025, section 4.2.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import { add, concat, dimensions, gelu, multiply, reshape, silu, slice } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { modulate, plainNorm } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import { rmsNorm } from '../../layers/rms-norm.ts';
import { type Rotation, rotate, rotation } from '../../layers/rotary.ts';
import { tanhGelu } from '../../layers/tanh-gelu.ts';
import { sinusoid } from '../../layers/timestep-embedding.ts';

const HEAD_WIDTH = 128;
/** The parts of a head that turn with frame, row and column. */
const AXES = [44, 42, 42] as const;
const THETA = 10_000;
const EPSILON = 1e-6;

/**
 * Inputs:
 * - `hidden_states` [batch, frames, tokens of a frame, features]: patches of the latent, channel by channel;
 * - `timestep` [1 or frames], 0 to 1000;
 * - `encoder_hidden_states` [batch, text tokens, width];
 * - `ids` [tokens, 3]: frame, row and column;
 * - if the network sees images, `image_embeds` [batch, image tokens, width]; those from `image_start` to `image_end`
 *   [1] count, and the tokens of the text follow them.
 *
 * Output: `out_hidden_states`, as `hidden_states`, but cell by cell.
 * @throws ModelUnsupported when weights are missing
 */
export function wanGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const [width = 0, ...patch] = root.at('patch_embedding').shape();
  const [, textWidth = 0] = root.at('text_embedding.0').shape();
  const [, timeWidth = 0] = root.at('time_embedding.0').shape();
  const features = patch.reduce((product, side) => product * side, 1);
  const time = timeEmbedding(root, timeWidth);
  const parts = linear(root.at('time_projection.1'), silu(root, time));
  const text = linear(
    root.at('text_embedding.2'),
    tanhGelu(root, linear(root.at('text_embedding.0'), 'encoder_hidden_states')),
  );
  const image = root.at('img_emb').exists() ? imageTokens(root, text) : undefined;
  const turn = rotation(root.at('rope'), ['ids'], { widths: AXES, theta: THETA });
  let x = patchEmbedding(root.at('patch_embedding'), width, features);
  for (const m of root.list('blocks')) x = block(m, x, { parts, text, image, turn, width });
  const [shift, scale] = modulation(root.at('head'), root.op('Unsqueeze', [time, ints(root, 1)]), width);
  const normed = modulate(root, plainNorm(root.at('head'), x, width), shift!, scale!);
  root.graph.node('Identity', [linear(root.at('head.head'), normed)], {}, 'out_hidden_states');
  return root.graph.buildModel(
    [
      { name: 'hidden_states', type: 'float32', shape: ['batch', 'frames', 'tokens', features] },
      { name: 'timestep', type: 'float32', shape: ['times'] },
      { name: 'encoder_hidden_states', type: 'float32', shape: ['batch', 'text tokens', textWidth] },
      { name: 'ids', type: 'float32', shape: ['all tokens', 3] },
      ...(image === undefined ? [] : imageInputs(root)),
    ],
    [
      {
        name: 'out_hidden_states',
        type: 'float32',
        shape: ['batch', 'frames', 'tokens', root.at('head.head').shape()[0]!],
      },
    ],
  );
}

const ints = (m: NetworkModule, ...values: number[]): Value => m.graph.int64Initializer(values);

/** [times, width], before the activation. */
function timeEmbedding(root: NetworkModule, timeWidth: number): Value {
  const inner = linear(root.at('time_embedding.0'), sinusoid(root, 'timestep', timeWidth));
  return linear(root.at('time_embedding.2'), silu(root, inner));
}

/** The convolution of patches that do not overlap is a product. */
function patchEmbedding(m: NetworkModule, width: number, features: number): Value {
  const matrix = m.op('Transpose', [reshape(m, m.parameter(), width, features)], { perm: [1, 0] });
  return add(m, m.op('MatMul', ['hidden_states', matrix]), m.parameter('bias'));
}

const imageInputs = (root: NetworkModule) => [
  {
    name: 'image_embeds',
    type: 'float32' as const,
    shape: ['batch', 'image tokens', root.at('img_emb.proj.1').shape()[1]!],
  },
  { name: 'image_start', type: 'int64' as const, shape: [1] },
  { name: 'image_end', type: 'int64' as const, shape: [1] },
];

/** The output of the vision encoder as tokens of the network. Networks of two images have a position for each token. */
function imageTokens(root: NetworkModule, text: Value): Value {
  const m = root.at('img_emb');
  const norms = [m.at('proj.0'), m.at('proj.4')] as const;
  const seen = m.has('emb_pos') ? withPositions(m) : 'image_embeds';
  const inner = gelu(m, linear(m.at('proj.1'), layerNorm(norms[0], seen)));
  const tokens = layerNorm(norms[1], linear(m.at('proj.3'), inner));
  const all = concat(m, 1, tokens, text);
  return m.op('Slice', [all, 'image_start', 'image_end', ints(m, 1)]);
}

/** Adds as many of the positions as there are tokens. Further tokens have none, and are left out. */
function withPositions(m: NetworkModule): Value {
  const [, limit = 0] = m.shape('emb_pos');
  const tokens = slice(m, 'image_embeds', 1, 0, limit);
  const positions = m.op('Slice', [
    m.parameter('emb_pos'),
    ints(m, 0),
    dimensions(m, tokens, 1, 2),
    ints(m, 1),
  ]);
  return add(m, tokens, positions);
}

interface BlockInputs {
  /** Shifts, scales and gates for each time, [times, 6 · width]. */
  parts: Value;
  /** [batch, text tokens, width] */
  text: Value;
  /** [batch, image tokens, width] */
  image: Value | undefined;
  turn: Rotation;
  width: number;
}

/** @param x [batch, frames, tokens of a frame, width] */
function block(m: NetworkModule, x: Value, { parts, text, image, turn, width }: BlockInputs): Value {
  const rows = reshape(m, parts, 0, 6, width);
  const [shift, scale, gate, lastShift, lastScale, lastGate] = modulation(m, rows, width) as [
    Value,
    Value,
    Value,
    Value,
    Value,
    Value,
  ];
  const shape = m.op('Shape', [x]);
  /** All frames as one sequence, and back. */
  const joined = (stream: Value, change: (tokens: Value) => Value): Value =>
    m.op('Reshape', [change(reshape(m, stream, 0, -1, width)), shape]);
  const normed = modulate(m, plainNorm(m.at('norm1'), x, width, EPSILON), shift, scale);
  const attention = m.at('self_attn');
  const attended = joined(normed, (tokens) => selfAttention(attention, tokens, turn, width));
  const seen = add(m, x, multiply(m, attended, gate));
  const cross = m.at('norm3').exists() ? layerNorm(m.at('norm3'), seen, EPSILON) : seen;
  const prompted = add(
    m,
    seen,
    joined(cross, (tokens) => crossAttention(m.at('cross_attn'), tokens, text, image, width)),
  );
  const last = modulate(m, plainNorm(m.at('norm2'), prompted, width, EPSILON), lastShift, lastScale);
  const inner = tanhGelu(m.at('ffn'), linear(m.at('ffn.0'), last));
  return add(m, prompted, multiply(m, linear(m.at('ffn.2'), inner), lastGate));
}

/** The learned parts of a module plus those of the times: [times, 1, width] each. */
function modulation(m: NetworkModule, rows: Value, width: number): Value[] {
  const [, count = 0] = m.shape('modulation');
  const all = add(m, m.parameter('modulation'), rows);
  return Array.from({ length: count }, (_, at) => reshape(m, slice(m, all, 1, at, at + 1), -1, 1, width));
}

/** All heads of a token are normed together. */
const normed = (m: NetworkModule, projection: string, norm: string, tokens: Value): Value =>
  rmsNorm(m.at(norm), linear(m.at(projection), tokens), { epsilon: EPSILON });

function selfAttention(m: NetworkModule, tokens: Value, turn: Rotation, width: number): Value {
  const query = rotate(m, normed(m, 'q', 'norm_q', tokens), turn);
  const key = rotate(m, normed(m, 'k', 'norm_k', tokens), turn);
  const mixed = attend(m, [query, key, linear(m.at('v'), tokens)], width, { heads: width / HEAD_WIDTH });
  return linear(m.at('o'), mixed);
}

/** The tokens of the text and those of the image have keys and values of their own; both results are added. */
function crossAttention(
  m: NetworkModule,
  tokens: Value,
  text: Value,
  image: Value | undefined,
  width: number,
): Value {
  const query = normed(m, 'q', 'norm_q', tokens);
  const heads = { heads: width / HEAD_WIDTH };
  const mixed = attend(m, [query, normed(m, 'k', 'norm_k', text), linear(m.at('v'), text)], width, heads);
  if (image === undefined) return linear(m.at('o'), mixed);
  const [key, value] = [normed(m, 'k_img', 'norm_k_img', image), linear(m.at('v_img'), image)];
  return linear(m.at('o'), add(m, mixed, attend(m, [query, key, value], width, heads)));
}
