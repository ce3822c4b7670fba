/** Resizes [batch, channels, height, width] inside a graph, by the methods with which latents are resized elsewhere. */
import type { NodeBuilder } from './node-builder.ts';
import { slerpResize } from './slerp-resize.ts';

export const RESIZE_METHODS = ['bicubic', 'nearest-exact', 'bilinear', 'area', 'bislerp'] as const;
export type GraphResizeMethod = (typeof RESIZE_METHODS)[number];

/** Attributes of the operator Resize. Centers of pixels lie at halves. */
const MODES = {
  bicubic: { mode: 'cubic', cubic_coeff_a: { float: -0.75 } },
  'nearest-exact': { mode: 'nearest', nearest_mode: 'round_prefer_ceil' },
  bilinear: { mode: 'linear' },
} as const;

/** `size`: a list of height and width. Resizing to the same size changes nothing. */
export function resizeTo(
  builder: NodeBuilder,
  value: string,
  size: string,
  method: GraphResizeMethod,
  output?: string,
): string {
  const [height, width] = [
    builder.slice(size, builder.ints(0), builder.ints(1), 0),
    builder.slice(size, builder.ints(1), builder.ints(2), 0),
  ];
  if (method === 'area') {
    const across = builder.op('Transpose', [areaMatrix(builder, value, 3, width)], { perm: [1, 0] });
    const rows = builder.op('MatMul', [areaMatrix(builder, value, 2, height), value]);
    return builder.op('MatMul', [rows, across], {}, output);
  }
  if (method === 'bislerp')
    return slerpResize(builder, slerpResize(builder, value, 3, width), 2, height, output);
  const sizes = builder.concat(builder.sizes(value, 0, 2), size);
  const attributes = { coordinate_transformation_mode: 'half_pixel', ...MODES[method] };
  return builder.op('Resize', [value, '', '', sizes], attributes, output);
}

/** [new size, old size]: the weights of a mean over all old cells that a new one overlaps, each with equal weight. */
function areaMatrix(builder: NodeBuilder, value: string, axis: number, size: string): string {
  const oldSize = builder.sizes(value, axis, axis + 1);
  const unit = builder.ints(1);
  const indices = builder.range(size);
  const column = (list: string) => builder.op('Unsqueeze', [list, unit]);
  const starts = builder.op('Div', [builder.op('Mul', [indices, oldSize]), size]);
  const next = builder.op('Mul', [builder.op('Add', [indices, unit]), oldSize]);
  const ends = builder.op('Div', [builder.op('Sub', [builder.op('Add', [next, size]), unit]), size]);
  const oldIndices = builder.op('Unsqueeze', [builder.range(oldSize), builder.ints(0)]);
  const isBefore = builder.op('Less', [oldIndices, column(starts)]);
  const isInside = builder.op('And', [
    builder.op('Not', [isBefore]),
    builder.op('Less', [oldIndices, column(ends)]),
  ]);
  const counts = builder.cast(column(builder.op('Sub', [ends, starts])), 'F32');
  return builder.toActivationType(builder.op('Div', [builder.cast(isInside, 'F32'), counts]));
}
