/** Resizing of [batch, channels, height, width] inside a graph, by the methods that latents are resized by elsewhere. */

import type { NodeBuilder } from './node-builder.ts';
import { slerpResize } from './slerp-resize.ts';

export const RESIZE_METHODS = ['bicubic', 'nearest-exact', 'bilinear', 'area', 'bislerp'] as const;
export type GraphResizeMethod = (typeof RESIZE_METHODS)[number];

/** What the operator calls them; centres of pixels are at halves. */
const MODES = {
  bicubic: { mode: 'cubic', cubic_coeff_a: { float: -0.75 } },
  'nearest-exact': { mode: 'nearest', nearest_mode: 'round_prefer_ceil' },
  bilinear: { mode: 'linear' },
} as const;

/** `size`: a list of height and width. To the size that it has, it is the same. */
export function resizeTo(
  chain: NodeBuilder,
  value: string,
  size: string,
  method: GraphResizeMethod,
  output?: string,
): string {
  const [height, width] = [
    chain.slice(size, chain.ints(0), chain.ints(1), 0),
    chain.slice(size, chain.ints(1), chain.ints(2), 0),
  ];
  if (method === 'area') {
    const across = chain.op('Transpose', [means(chain, value, 3, width)], { perm: [1, 0] });
    const rows = chain.op('MatMul', [means(chain, value, 2, height), value]);
    return chain.op('MatMul', [rows, across], {}, output);
  }
  if (method === 'bislerp') return slerpResize(chain, slerpResize(chain, value, 3, width), 2, height, output);
  const sizes = chain.concat(chain.sizes(value, 0, 2), size);
  const attributes = { coordinate_transformation_mode: 'half_pixel', ...MODES[method] };
  return chain.op('Resize', [value, '', '', sizes], attributes, output);
}

/** [new size, size]: each new place is the mean of all old ones that it touches, however little. */
function means(chain: NodeBuilder, value: string, axis: number, size: string): string {
  const old = chain.sizes(value, axis, axis + 1);
  const one = chain.ints(1);
  const places = chain.range(size);
  const column = (list: string) => chain.op('Unsqueeze', [list, one]);
  const starts = chain.op('Div', [chain.op('Mul', [places, old]), size]);
  const next = chain.op('Mul', [chain.op('Add', [places, one]), old]);
  const ends = chain.op('Div', [chain.op('Sub', [chain.op('Add', [next, size]), one]), size]);
  const from = chain.op('Unsqueeze', [chain.range(old), chain.ints(0)]);
  const isBefore = chain.op('Less', [from, column(starts)]);
  const isInside = chain.op('And', [chain.op('Not', [isBefore]), chain.op('Less', [from, column(ends)])]);
  const counts = chain.cast(column(chain.op('Sub', [ends, starts])), 'F32');
  return chain.toActivationType(chain.op('Div', [chain.cast(isInside, 'F32'), counts]));
}
