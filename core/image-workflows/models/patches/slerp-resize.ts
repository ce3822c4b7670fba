/** Resizing along arcs inside a graph, as `images/resize/bislerp.ts` does it outside of one. */
import type { NodeBuilder } from './node-builder.ts';

/** Of directions this near to one another, or to opposite, there is no arc to be told. */
const STRAIGHT = 1e-5;
const TINY = 1e-30;

/** Along one axis: between two neighbours along the arc between their directions, over all channels; lengths linearly. */
export function slerpResize(
  chain: NodeBuilder,
  value: string,
  axis: number,
  size: string,
  output?: string,
): string {
  const old = chain.sizes(value, axis, axis + 1);
  const [oldLength, newLength] = [chain.cast(old, 'F32'), chain.cast(size, 'F32')];
  const half = chain.float(0.5);
  const centres = chain.op('Add', [chain.cast(chain.range(size), 'F32'), half]);
  const scaled = chain.op('Mul', [centres, chain.op('Div', [oldLength, newLength])]);
  const last = chain.op('Sub', [oldLength, chain.float(1)]);
  const inside = chain.op('Max', [chain.op('Sub', [scaled, half]), chain.float(0)]);
  const place = chain.op('Min', [inside, last]);
  const low = chain.op('Floor', [place]);
  const high = chain.op('Min', [chain.op('Add', [low, chain.float(1)]), last]);
  const alongAxis = chain.ints(...(axis === 2 ? [1, 1, -1, 1] : [1, 1, 1, -1]));
  const share = chain.op('Reshape', [chain.op('Sub', [place, low]), alongAxis]);
  const rest = chain.op('Sub', [chain.float(1), share]);
  const values = chain.toFloat32(value);
  const [first, second] = [low, high].map((at) =>
    chain.op('Gather', [values, chain.cast(at, 'I64')], { axis }),
  ) as [string, string];
  const times = (a: string, b: string) => chain.op('Mul', [a, b]);
  const plus = (a: string, b: string) => chain.op('Add', [a, b]);
  const [firstLength, secondLength] = [first, second].map((one) =>
    chain.op('Sqrt', [chain.reduce('ReduceSum', times(one, one), 1)]),
  ) as [string, string];
  const direction = (one: string, length: string) =>
    chain.op('Div', [one, chain.op('Max', [length, chain.float(TINY)])]);
  const [from, to] = [direction(first, firstLength), direction(second, secondLength)];
  const cosine = chain.reduce('ReduceSum', times(from, to), 1);
  const angle = chain.op('Acos', [chain.op('Clip', [cosine, chain.float(-1), chain.float(1)])]);
  const sine = chain.op('Max', [chain.op('Sin', [angle]), chain.float(TINY)]);
  const part = (amount: string, one: string) =>
    times(chain.op('Div', [chain.op('Sin', [times(amount, angle)]), sine]), one);
  const lengths = plus(times(rest, firstLength), times(share, secondLength));
  const arc = times(plus(part(rest, from), part(share, to)), lengths);
  const line = plus(times(rest, first), times(share, second));
  const isOpposite = chain.op('Less', [cosine, chain.float(STRAIGHT - 1)]);
  const isSame = chain.op('Or', [
    chain.op('Greater', [cosine, chain.float(1 - STRAIGHT)]),
    // Where a place has not moved, its numbers stay to the last digit.
    chain.op('Not', [chain.op('Greater', [share, chain.float(0)])]),
  ]);
  const made = chain.op('Where', [isSame, first, chain.op('Where', [isOpposite, line, arc])]);
  if (chain.activationType === 'F32') return chain.op('Identity', [made], {}, output);
  return chain.op('Cast', [made], { to: 10 }, output);
}
