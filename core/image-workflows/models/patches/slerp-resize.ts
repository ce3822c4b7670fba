/** Resizes inside a graph by spherical interpolation, like `images/resize/bislerp.ts`. */
import type { NodeBuilder } from './node-builder.ts';

/** Directions whose cosine is closer than this to 1 or -1 have no well-defined arc between them. */
const COLLINEAR = 1e-5;
const TINY = 1e-30;

/**
 * Resizes one axis of [batch, channels, height, width] to `size`, a list of one integer. Between two neighbors, the
 * direction over all channels follows the arc, and the length changes linearly.
 */
export function slerpResize(
  builder: NodeBuilder,
  value: string,
  axis: number,
  size: string,
  output?: string,
): string {
  const { low, high, share } = neighbors(builder, value, axis, size);
  const times = (a: string, b: string) => builder.op('Mul', [a, b]);
  const plus = (a: string, b: string) => builder.op('Add', [a, b]);
  const rest = builder.op('Sub', [builder.float(1), share]);
  const values = builder.toFloat32(value);
  const gather = (index: string) => builder.op('Gather', [values, builder.cast(index, 'I64')], { axis });
  const [first, second] = [gather(low), gather(high)];
  const lengthOf = (vector: string) =>
    builder.op('Sqrt', [builder.reduce('ReduceSum', times(vector, vector), 1)]);
  const [firstLength, secondLength] = [lengthOf(first), lengthOf(second)];
  const normalize = (vector: string, length: string) =>
    builder.op('Div', [vector, builder.op('Max', [length, builder.float(TINY)])]);
  const [from, to] = [normalize(first, firstLength), normalize(second, secondLength)];
  const cosine = builder.reduce('ReduceSum', times(from, to), 1);
  const angle = builder.op('Acos', [builder.op('Clip', [cosine, builder.float(-1), builder.float(1)])]);
  const sine = builder.op('Max', [builder.op('Sin', [angle]), builder.float(TINY)]);
  const arcPart = (amount: string, direction: string) =>
    times(builder.op('Div', [builder.op('Sin', [times(amount, angle)]), sine]), direction);
  const length = plus(times(rest, firstLength), times(share, secondLength));
  const arc = times(plus(arcPart(rest, from), arcPart(share, to)), length);
  const line = plus(times(rest, first), times(share, second));
  const isOpposite = builder.op('Less', [cosine, builder.float(COLLINEAR - 1)]);
  const isFirst = builder.op('Or', [
    builder.op('Greater', [cosine, builder.float(1 - COLLINEAR)]),
    // At an original position, the numbers are copied without rounding errors.
    builder.op('Not', [builder.op('Greater', [share, builder.float(0)])]),
  ]);
  const result = builder.op('Where', [isFirst, first, builder.op('Where', [isOpposite, line, arc])]);
  if (builder.activationType === 'F32') return builder.op('Identity', [result], {}, output);
  return builder.op('Cast', [result], { to: 10 }, output);
}

/** For each new position, the indices of its two old neighbors, and the share of the second. */
function neighbors(builder: NodeBuilder, value: string, axis: number, size: string) {
  const oldSize = builder.sizes(value, axis, axis + 1);
  const [oldLength, newLength] = [builder.cast(oldSize, 'F32'), builder.cast(size, 'F32')];
  const half = builder.float(0.5);
  // Centers of cells lie at halves.
  const centers = builder.op('Add', [builder.cast(builder.range(size), 'F32'), half]);
  const scaled = builder.op('Mul', [centers, builder.op('Div', [oldLength, newLength])]);
  const last = builder.op('Sub', [oldLength, builder.float(1)]);
  const notNegative = builder.op('Max', [builder.op('Sub', [scaled, half]), builder.float(0)]);
  const position = builder.op('Min', [notNegative, last]);
  const low = builder.op('Floor', [position]);
  const high = builder.op('Min', [builder.op('Add', [low, builder.float(1)]), last]);
  const alongAxis = builder.ints(...(axis === 2 ? [1, 1, -1, 1] : [1, 1, 1, -1]));
  const share = builder.op('Reshape', [builder.op('Sub', [position, low]), alongAxis]);
  return { low, high, share };
}
