/**
 * The encoder of ACE-Step for lyrics: a Conformer without convolutions. Sources: Gulati et al., "Conformer", 2020; Dai et
 * al., "Transformer-XL", 2019, appendix B (positions relative to each token).
 */
import { add, concat, multiply, reshape, scaled, silu, slice, transpose } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import { tokenEmbedding } from '../../layers/token-embedding.ts';

/** @param ids int64 [batch, tokens]. The result is [batch, tokens, width]. */
export function lyricTokens(root: NetworkModule, ids: Value): Value {
  const m = root.at('lyric_encoder');
  const embedded = linear(m.at('embed.out.0'), tokenEmbedding(root.at('lyric_embs'), ids));
  const [width = 0] = m.at('embed.out.0').shape();
  const count = m.op('Gather', [m.op('Shape', [ids]), m.graph.int64Initializer([1], true)]);
  const positions = relativePositions(m, count, width);
  let x = scaled(m, layerNorm(m.at('embed.out.1'), embedded), Math.sqrt(width));
  for (const layer of m.list('encoders')) {
    x = add(layer, x, attention(layer.at('self_attn'), layerNorm(layer.at('norm_mha'), x), positions, count));
    const [first, second] = [layer.at('feed_forward.w_1'), layer.at('feed_forward.w_2')];
    const inner = silu(layer, linear(first, layerNorm(layer.at('norm_ff'), x)));
    x = add(layer, x, linear(second, inner));
  }
  return layerNorm(m.at('after_norm'), x);
}

/** Sines and cosines in turn of the distances count - 1, count - 2, … 1 - count: [2 · count - 1, width]. */
function relativePositions(m: NetworkModule, count: Value, width: number): Value {
  const { graph } = m;
  const end = m.op('Neg', [count]);
  const range = m.op('Range', [
    m.op('Sub', [count, graph.int64Initializer([1], true)]),
    end,
    graph.int64Initializer([-1], true),
  ]);
  const half = width / 2;
  const speeds = Array.from({ length: half }, (_, i) => Math.exp((-Math.log(10_000) * 2 * i) / width));
  const distances = reshape(m, m.op('Cast', [range], { to: 1 }), -1, 1);
  const angles = multiply(m, distances, m.constant('speeds', [1, half], speeds));
  const columns = [m.op('Sin', [angles]), m.op('Cos', [angles])].map((wave) => reshape(m, wave, 0, 0, 1));
  return reshape(m, concat(m, 2, ...columns), 0, width);
}

function attention(m: NetworkModule, x: Value, positions: Value, count: Value): Value {
  const [heads = 1, headWidth = 1] = m.shape('pos_bias_u');
  const split = (value: Value) => reshape(m, value, 0, -1, heads, headWidth);
  const query = split(linear(m.at('linear_q'), x));
  const key = transpose(m, split(linear(m.at('linear_k'), x)), 0, 2, 3, 1);
  const value = transpose(m, split(linear(m.at('linear_v'), x)), 0, 2, 1, 3);
  const place = reshape(m, linear(m.at('linear_pos'), positions), -1, heads, headWidth);
  const biased = (name: string) => transpose(m, add(m, query, m.parameter(name)), 0, 2, 1, 3);
  const byContent = m.op('MatMul', [biased('pos_bias_u'), key]);
  const byDistance = m.op('MatMul', [biased('pos_bias_v'), transpose(m, place, 1, 2, 0)]);
  const scores = scaled(m, add(m, byContent, shifted(m, byDistance, count)), 1 / Math.sqrt(headWidth));
  const mixed = m.op('MatMul', [m.op('Softmax', [scores], { axis: -1 }), value]);
  return linear(m.at('linear_out'), reshape(m, transpose(m, mixed, 0, 2, 1, 3), 0, 0, heads * headWidth));
}

/**
 * Scores of distances, [batch, heads, tokens, 2 · tokens - 1], to those of tokens, [batch, heads, tokens, tokens]. Row i
 * takes the columns from tokens - 1 - i on: a column more in front moves each row by one step more than the last.
 */
function shifted(m: NetworkModule, scores: Value, count: Value): Value {
  const { graph } = m;
  const padded = m.op('Pad', [scores, graph.int64Initializer([0, 0, 0, 1, 0, 0, 0, 0])], {
    mode: 'constant',
  });
  const tokens = m.op('Unsqueeze', [count, graph.int64Initializer([0])]);
  const heads = m.op('Slice', [
    m.op('Shape', [scores]),
    graph.int64Initializer([0]),
    graph.int64Initializer([2]),
  ]);
  const turned = m.op('Reshape', [padded, concat(m, 0, heads, graph.int64Initializer([-1]), tokens)]);
  const rest = slice(m, turned, 2, 1, Number.MAX_SAFE_INTEGER);
  const rows = m.op('Reshape', [rest, m.op('Shape', [scores])]);
  return m.op('Slice', [rows, graph.int64Initializer([0]), tokens, graph.int64Initializer([3])]);
}
