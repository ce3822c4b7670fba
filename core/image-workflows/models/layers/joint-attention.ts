/** Attention of two kinds of tokens to each other (Esser et al., "Scaling rectified flow transformers", 2024, figure 2). */
import { attend } from './attention.ts';
import { concat, dimensions, reshape } from './elementary.ts';
import { linear } from './linear.ts';
import type { NetworkModule, Value } from './network-module.ts';
import { rmsNorm } from './rms-norm.ts';

/** Queries, keys and values: [batch, tokens, width] each, with all heads next to each other. */
export type Projected = readonly [query: Value, key: Value, value: Value];

/** The names of the modules that project tokens. */
export interface ProjectionNames {
  readonly projections: readonly [string, string, string];
  /** The norms of queries and keys, which some networks lack. */
  readonly norms: readonly [string, string];
}

export const OWN_TOKENS: ProjectionNames = {
  projections: ['to_q', 'to_k', 'to_v'],
  norms: ['norm_q', 'norm_k'],
};
export const ADDED_TOKENS: ProjectionNames = {
  projections: ['add_q_proj', 'add_k_proj', 'add_v_proj'],
  norms: ['norm_added_q', 'norm_added_k'],
};

/** Projects tokens, and norms the queries and keys of each head. @param turn changes queries and keys after that */
export function project(
  m: NetworkModule,
  x: Value,
  { projections, norms }: ProjectionNames,
  headWidth: number,
): Projected {
  const [query, key, value] = projections.map((name) => linear(m.at(name), x)) as [Value, Value, Value];
  return [headNorm(m.at(norms[0]), query, headWidth), headNorm(m.at(norms[1]), key, headWidth), value];
}

/** Norms each head of queries or keys, [batch, tokens, width]. Nothing where the norm `m` is not stored. */
export function headNorm(m: NetworkModule, x: Value, headWidth: number): Value {
  if (!m.exists()) return x;
  return reshape(m, rmsNorm(m, reshape(m, x, 0, 0, -1, headWidth)), 0, 0, -1);
}

/** Tokens of one kind, followed by those of the other. */
export const joinTokens = (m: NetworkModule, first: Value, second: Value): Value =>
  concat(m, 1, first, second);

export const joinProjected = (m: NetworkModule, first: Projected, second: Projected): Projected => [
  joinTokens(m, first[0], second[0]),
  joinTokens(m, first[1], second[1]),
  joinTokens(m, first[2], second[2]),
];

/** Reverts `joinTokens`. @param first has as many tokens as the first kind */
export function splitTokens(m: NetworkModule, joined: Value, first: Value): readonly [Value, Value] {
  const { graph } = m;
  const int = (value: number) => graph.int64Initializer([value]);
  const count = dimensions(m, first, 1, 2);
  const end = int(Number.MAX_SAFE_INTEGER);
  return [m.op('Slice', [joined, int(0), count, int(1)]), m.op('Slice', [joined, count, end, int(1)])];
}

/** All tokens see all tokens. @param width of all heads together */
export const attendTokens = (
  m: NetworkModule,
  projected: Projected,
  width: number,
  headWidth: number,
): Value => attend(m, projected, width, { heads: width / headWidth });
