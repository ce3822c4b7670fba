/** Si et al., "FreeU: Free lunch in diffusion U-Net", 2023. */
import type { OnnxOutline } from '#core/tensors';
import type { GraphPatch } from '../../values/graph-patch.ts';
import type { GraphInsertion } from '../../values/model-graph.ts';
import { NodeBuilder, requireOpset } from './node-builder.ts';
import { firstChannels, skipConcats } from './unet-structure.ts';

export interface FreeUFactors {
  /** Of what comes from below, on levels with four times the first level's channels, and with twice as many. */
  readonly b1: number;
  readonly b2: number;
  /** Of the low frequencies of what was kept on the way down, on the same levels. */
  readonly s1: number;
  readonly s2: number;
}

/**
 * Where a block on the way up joins what comes from below with what was kept: half of the channels of the first times b
 * (equation 4; with `structured` by how strong the mean of all channels is at each place), low frequencies of the second
 * times s (equation 7). Factors of 1 change nothing.
 */
export function freeU({ b1, b2, s1, s2 }: FreeUFactors, structured: boolean): GraphPatch {
  return {
    key: `free u ${structured} ${b1} ${b2} ${s1} ${s2}`,
    build(outline) {
      requireOpset(outline, 'FreeU');
      const first = firstChannels(outline);
      const factors = new Map([
        [first * 4, [b1, s1]],
        [first * 2, [b2, s2]],
      ]);
      const insertions: GraphInsertion[] = [];
      for (const { node, channels } of skipConcats(outline)) {
        const [below = 1, kept = 1] = factors.get(channels) ?? [];
        if (below !== 1)
          insertions.push({
            at: { node, input: 0 },
            parts: (from, to) => strengthened(outline, from, to, channels, below, structured),
          });
        if (kept !== 1)
          insertions.push({
            at: { node, input: 1 },
            parts: (from, to) => lowFrequenciesTimes(outline, from, to, kept),
          });
      }
      return { insertions };
    },
  };
}

function strengthened(
  outline: OnnxOutline,
  from: string,
  to: string,
  channels: number,
  factor: number,
  structured: boolean,
) {
  const chain = new NodeBuilder(outline, to);
  const half = (inside: number, outside: number) =>
    chain.constant(
      [1, channels, 1, 1],
      Array.from({ length: channels }, (_, at) => (at < Math.floor(channels / 2) ? inside : outside)),
    );
  if (!structured) {
    chain.op('Mul', [from, half(factor, 1)], {}, to);
    return chain.fields;
  }
  const mean = chain.reduce('ReduceMean', chain.toFloat32(from), 1);
  const [least, most] = [chain.reduce('ReduceMin', mean, 1, 2, 3), chain.reduce('ReduceMax', mean, 1, 2, 3)];
  // A mean that is the same everywhere is no structure.
  const range = chain.op('Max', [chain.op('Sub', [most, least]), chain.float(1e-12)]);
  const share = chain.toActivationType(chain.op('Div', [chain.op('Sub', [mean, least]), range]));
  const more = chain.op('Mul', [share, half(factor - 1, 0)]);
  chain.op('Mul', [from, chain.op('Add', [more, chain.constant([], [1])])], {}, to);
  return chain.fields;
}

/**
 * The frequencies 0 and -1 of both axes times `factor`, the real part: with P the sum over both of e^(iuθ) / size, that adds
 * (factor - 1) Re(P x Pᵀ). P is (1 + cos θ - i sin θ) / size at angles θ between two places.
 */
function lowFrequenciesTimes(outline: OnnxOutline, from: string, to: string, factor: number) {
  const chain = new NodeBuilder(outline, to);
  const [down, across] = [projection(chain, from, 2), projection(chain, from, 3)];
  const both = (part: 'even' | 'odd') =>
    chain.op('MatMul', [chain.op('MatMul', [down[part], from]), across[part]]);
  const low = chain.op('Add', [both('even'), both('odd')]);
  chain.op('Add', [from, chain.op('Mul', [low, chain.constant([], [factor - 1])])], {}, to);
  return chain.fields;
}

/** [size, size] for an axis. `odd` is turned round by transposing, which takes the minus of i * i away. */
function projection(chain: NodeBuilder, value: string, axis: number): { even: string; odd: string } {
  const size = chain.sizes(value, axis, axis + 1);
  const length = chain.cast(size, 'F32');
  const places = chain.cast(chain.range(size), 'F32');
  const angles = chain.op('Mul', [places, chain.op('Div', [chain.float(2 * Math.PI), length])]);
  const between = chain.op('Sub', [
    chain.op('Unsqueeze', [angles, chain.ints(1)]),
    chain.op('Unsqueeze', [angles, chain.ints(0)]),
  ]);
  const sum = chain.op('Add', [chain.op('Cos', [between]), chain.float(1)]);
  // Of one place both frequencies are the same.
  const even = chain.op('Div', [sum, chain.op('Max', [length, chain.float(2)])]);
  return {
    even: chain.toActivationType(even),
    odd: chain.toActivationType(chain.op('Div', [chain.op('Sin', [between]), length])),
  };
}
