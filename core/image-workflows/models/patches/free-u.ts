/** Si et al., "FreeU: Free lunch in diffusion U-Net", 2023. */
import type { OnnxOutline } from '#core/tensors';
import type { GraphPatch } from '../../values/graph-patch.ts';
import type { GraphInsertion } from '../../values/model-graph.ts';
import { NodeBuilder, requireOpset } from './node-builder.ts';
import { firstChannels, skipConcats } from './unet-structure.ts';

/** Index 1 is for the levels with four times the first level's channels, index 2 for those with twice as many. */
export interface FreeUFactors {
  /** The factor of the backbone features. */
  readonly b1: number;
  readonly b2: number;
  /** The factor of the skip features' low frequencies. */
  readonly s1: number;
  readonly s2: number;
}

/**
 * Changes the inputs of the concatenations on the way up. Half of the backbone's channels are multiplied by b (equation
 * 4), the low frequencies of the skip connection by s (equation 7). Factors of 1 change nothing.
 *
 * @param structured the second version, in which the effect of b follows the mean of all channels in each cell.
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
        const [backbone = 1, skip = 1] = factors.get(channels) ?? [];
        if (backbone !== 1)
          insertions.push({
            at: { node, input: 0 },
            parts: (from, to) => scaleBackbone(outline, from, to, channels, backbone, structured),
          });
        if (skip !== 1)
          insertions.push({
            at: { node, input: 1 },
            parts: (from, to) => scaleLowFrequencies(outline, from, to, skip),
          });
      }
      return { insertions };
    },
  };
}

function scaleBackbone(
  outline: OnnxOutline,
  from: string,
  to: string,
  channels: number,
  factor: number,
  structured: boolean,
) {
  const builder = new NodeBuilder(outline, to);
  const halves = (first: number, second: number) =>
    builder.constant(
      [1, channels, 1, 1],
      Array.from({ length: channels }, (_, at) => (at < Math.floor(channels / 2) ? first : second)),
    );
  if (!structured) {
    builder.op('Mul', [from, halves(factor, 1)], {}, to);
    return builder.fields;
  }
  const mean = builder.reduce('ReduceMean', builder.toFloat32(from), 1);
  const [min, max] = [builder.reduce('ReduceMin', mean, 1, 2, 3), builder.reduce('ReduceMax', mean, 1, 2, 3)];
  // A constant mean has the range 0. Then the share is 0 everywhere.
  const range = builder.op('Max', [builder.op('Sub', [max, min]), builder.float(1e-12)]);
  const share = builder.toActivationType(builder.op('Div', [builder.op('Sub', [mean, min]), range]));
  const increase = builder.op('Mul', [share, halves(factor - 1, 0)]);
  builder.op('Mul', [from, builder.op('Add', [increase, builder.constant([], [1])])], {}, to);
  return builder.fields;
}

/**
 * Multiplies the frequencies 0 and -1 along both axes by `factor` and takes the real part. Let P be the projection to
 * these frequencies, with elements (1 + cos θ - i sin θ) / size for the angle θ between two cells. The result is
 * x + (factor - 1) Re(P x Pᵀ).
 */
function scaleLowFrequencies(outline: OnnxOutline, from: string, to: string, factor: number) {
  const builder = new NodeBuilder(outline, to);
  const [down, across] = [projection(builder, from, 2), projection(builder, from, 3)];
  const project = (part: 'even' | 'odd') =>
    builder.op('MatMul', [builder.op('MatMul', [down[part], from]), across[part]]);
  const low = builder.op('Add', [project('even'), project('odd')]);
  builder.op('Add', [from, builder.op('Mul', [low, builder.constant([], [factor - 1])])], {}, to);
  return builder.fields;
}

/**
 * The real (even) and imaginary (odd) part of the projection, [size, size] for one axis. The odd part is antisymmetric:
 * using it without a transposition cancels the minus sign of i * i.
 */
function projection(builder: NodeBuilder, value: string, axis: number): { even: string; odd: string } {
  const size = builder.sizes(value, axis, axis + 1);
  const length = builder.cast(size, 'F32');
  const indices = builder.cast(builder.range(size), 'F32');
  const angles = builder.op('Mul', [indices, builder.op('Div', [builder.float(2 * Math.PI), length])]);
  const differences = builder.op('Sub', [
    builder.op('Unsqueeze', [angles, builder.ints(1)]),
    builder.op('Unsqueeze', [angles, builder.ints(0)]),
  ]);
  const sum = builder.op('Add', [builder.op('Cos', [differences]), builder.float(1)]);
  // For an axis of length 1, both frequencies are the same one.
  const even = builder.op('Div', [sum, builder.op('Max', [length, builder.float(2)])]);
  return {
    even: builder.toActivationType(even),
    odd: builder.toActivationType(builder.op('Div', [builder.op('Sin', [differences]), length])),
  };
}
