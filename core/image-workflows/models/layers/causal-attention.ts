/** Attention of language models that continue a text: each token sees itself and those before it. */
import { add, concat, multiply, reshape, scaled, slice, transpose } from './elementary.ts';
import { linear } from './linear.ts';
import type { NetworkModule, Value } from './network-module.ts';
import { rmsNorm } from './rms-norm.ts';
import { HIDDEN_SCORE } from './token-embedding.ts';

/** Cosines and sines by which positions turn pairs of numbers, [tokens, half of a head] each. */
export interface Rotation {
  cosines: Value;
  sines: Value;
}

export interface CausalAttentionOptions {
  headWidth: number;
  rotation: Rotation;
  /** Added to the scores, [batch, 1, tokens, tokens]. */
  mask: Value;
  epsilon?: number;
  /** The keys and values of the tokens before these, and what takes those of all tokens. */
  memory?: AttentionMemory;
}

/** Keys and values, [batch, groups, 1, tokens, width of a head] each. */
export interface AttentionMemory {
  readonly keys: Value;
  readonly values: Value;
  /** Receives both with those of the new tokens. */
  keep(keys: Value, values: Value): void;
}

/** Su et al., "RoFormer", 2021: position · base^(-2i / width) for the pairs i of a head. */
export function rotation(m: NetworkModule, positions: Value, headWidth: number, base: number): Rotation {
  const half = headWidth / 2;
  const speeds = Array.from({ length: half }, (_, i) => base ** ((-2 * i) / headWidth));
  const row = m.graph.floatInitializer('rotation_speeds', [1, half], speeds);
  const numbers = m.op('Cast', [positions], { to: 1 });
  const angles = multiply(m, m.op('Unsqueeze', [numbers, m.graph.int64Initializer([1])]), row);
  return { cosines: m.op('Cos', [angles]), sines: m.op('Sin', [angles]) };
}

/**
 * The rotation for tokens with several positions, each of which turns some of the pairs (Wang et al., "Qwen2-VL", 2024,
 * section 2.1).
 * @param positions [tokens, positions of a token]
 * @param sections the number of pairs for each of the positions
 */
export function sectionedRotation(
  m: NetworkModule,
  positions: Value,
  sections: readonly number[],
  base: number,
): Rotation {
  const half = sections.reduce((sum, count) => sum + count, 0);
  const speeds = new Float32Array(sections.length * half);
  let pair = 0;
  for (const [axis, count] of sections.entries())
    for (let end = pair + count; pair < end; pair++) speeds[axis * half + pair] = base ** (-pair / half);
  const matrix = m.graph.floatInitializer('rotation_speeds', [sections.length, half], speeds);
  const angles = m.op('MatMul', [positions, matrix]);
  return { cosines: m.op('Cos', [angles]), sines: m.op('Sin', [angles]) };
}

/**
 * The scores that hide later tokens: [tokens, seen tokens].
 * @param seen the positions of the tokens that may be seen; the same by default
 */
export function laterTokens(m: NetworkModule, positions: Value, seen = positions): Value {
  const { graph } = m;
  const [row, column] = [seen, positions].map((numbers, axis) =>
    m.op('Unsqueeze', [numbers, graph.int64Initializer([axis])]),
  ) as [Value, Value];
  return m.op('Where', [
    m.op('Greater', [row, column]),
    graph.scalarInitializer(HIDDEN_SCORE),
    graph.scalarInitializer(0),
  ]);
}

/**
 * Several query heads share the keys and values of one head (Ainslie et al., "GQA", 2023). The shapes of `q_proj` and
 * `k_proj` give the numbers of heads. `q_norm` and `k_norm` are used where they are stored.
 * @param x [batch, tokens, width]
 */
export function causalAttention(m: NetworkModule, x: Value, options: CausalAttentionOptions): Value {
  const { headWidth, mask } = options;
  const width = m.at('q_proj').shape()[0]!;
  const groups = m.at('k_proj').shape()[0]! / headWidth;
  // [batch, groups, heads of a group, tokens, width of a head]
  const split = (value: Value) => reshape(m, value, 0, 0, groups, -1, headWidth);
  const turned = (name: 'q' | 'k') => {
    const heads = split(linear(m.at(`${name}_proj`), x));
    const norm = m.at(`${name}_norm`);
    const normed = norm.exists() ? rmsNorm(norm, heads, { ...options }) : heads;
    return rotate(m, transpose(m, normed, 0, 2, 3, 1, 4), options);
  };
  const queries = scaled(m, turned('q'), 1 / Math.sqrt(headWidth));
  const { keys, values } = remembered(m, options.memory, {
    keys: turned('k'),
    values: transpose(m, split(linear(m.at('v_proj'), x)), 0, 2, 3, 1, 4),
  });
  const scores = m.op('MatMul', [queries, transpose(m, keys, 0, 1, 2, 4, 3)]);
  const shares = m.op('Softmax', [add(m, scores, m.op('Unsqueeze', [mask, m.graph.int64Initializer([1])]))], {
    axis: -1,
  });
  const mixed = transpose(m, m.op('MatMul', [shares, values]), 0, 3, 1, 2, 4);
  return linear(m.at('o_proj'), reshape(m, mixed, 0, 0, width));
}

/** The keys and values of the earlier tokens and the new ones. */
function remembered(
  m: NetworkModule,
  memory: AttentionMemory | undefined,
  own: { keys: Value; values: Value },
): { keys: Value; values: Value } {
  if (!memory) return own;
  const all = {
    keys: concat(m, 3, memory.keys, own.keys),
    values: concat(m, 3, memory.values, own.values),
  };
  memory.keep(all.keys, all.values);
  return all;
}

/** Turns the pairs of numbers at i and i + half of each head by the angle of the token's position. */
function rotate(
  m: NetworkModule,
  x: Value,
  { headWidth, rotation: { cosines, sines } }: CausalAttentionOptions,
): Value {
  const half = headWidth / 2;
  const [first, second] = [slice(m, x, -1, 0, half), slice(m, x, -1, half, headWidth)];
  const left = m.op('Sub', [multiply(m, first, cosines), multiply(m, second, sines)]);
  const right = add(m, multiply(m, second, cosines), multiply(m, first, sines));
  return m.op('Concat', [left, right], { axis: -1 });
}
