/** Shi et al., "Real-time single image and video super-resolution using a sub-pixel CNN", 2016, section 2.2. */
import type { NetworkModule, Value } from './network-module.ts';

/**
 * Distributes each group of `factor`² channels over squares of cells: [batch, channels · factor², height, width] to
 * [batch, channels, height · factor, width · factor].
 */
export const pixelShuffle = (m: NetworkModule, x: Value, factor: number): Value =>
  factor === 1 ? x : m.op('DepthToSpace', [x], { blocksize: factor, mode: 'CRD' });

/** Reverts `pixelShuffle`. Height and width are multiples of `factor`. */
export function pixelUnshuffle(m: NetworkModule, x: Value, channels: number, factor: number): Value {
  if (factor === 1) return x;
  const cells = factor ** 2;
  // ONNX puts the channels of one cell next to each other, and torch the cells of one channel.
  const order = Array.from(
    { length: channels * cells },
    (_, at) => (at % cells) * channels + Math.floor(at / cells),
  );
  const squares = m.op('SpaceToDepth', [x], { blocksize: factor });
  return m.op('Gather', [squares, m.graph.int64Initializer(order)], { axis: 1 });
}
