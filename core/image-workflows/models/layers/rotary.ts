/**
 * Positions as rotations (Su et al., "RoFormer: enhanced transformer with rotary position embedding", 2021, section
 * 3.2), for positions with several axes.
 */
import { concat } from './elementary.ts';
import type { NetworkModule, Value } from './network-module.ts';

/** The cosines and sines of all tokens' angles: [tokens, half of a head's width] each. */
export interface Rotation {
  readonly cosines: Value;
  readonly sines: Value;
}

export interface RotaryAxes {
  /** The part of a head's width that turns with each axis. */
  readonly widths: readonly number[];
  /** The base of the frequencies theta^(-2i / width): one for all axes, or one for each. */
  readonly theta: number | readonly number[];
}

/** @param positions [tokens, axes] each, in the order of the tokens */
export function rotation(
  m: NetworkModule,
  positions: readonly Value[],
  { widths, theta }: RotaryAxes,
): Rotation {
  const half = widths.reduce((sum, width) => sum + width, 0) / 2;
  // Each column has the frequency of one pair, in the row of its axis.
  const frequencies = new Float32Array(widths.length * half);
  let column = 0;
  for (const [axis, width] of widths.entries()) {
    const base = typeof theta === 'number' ? theta : theta[axis]!;
    for (let pair = 0; pair < width / 2; pair++)
      frequencies[axis * half + column++] = base ** ((-2 * pair) / width);
  }
  const matrix = m.graph.floatInitializer(`${m.path}.frequencies`, [widths.length, half], frequencies);
  const all = positions.length === 1 ? positions[0]! : concat(m, 0, ...positions);
  const angles = m.op('MatMul', [all, matrix]);
  return { cosines: m.op('Cos', [angles]), sines: m.op('Sin', [angles]) };
}

/** Turns each pair of neighboring columns of all heads: [batch, tokens, width]. */
export const rotate = (m: NetworkModule, x: Value, { cosines, sines }: Rotation): Value =>
  m.op('com.microsoft.RotaryEmbedding', [x, m.graph.int64Initializer([0]), cosines, sines], {
    interleaved: 1,
  });

/** Turns each column of the first half of a head with its column of the second half: [batch, tokens, width]. */
export const rotateHalves = (m: NetworkModule, x: Value, { cosines, sines }: Rotation): Value =>
  m.op('com.microsoft.RotaryEmbedding', [x, m.graph.int64Initializer([0]), cosines, sines], {
    interleaved: 0,
  });
