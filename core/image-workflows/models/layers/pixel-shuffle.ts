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
  return gatherChannels(m, m.op('SpaceToDepth', [x], { blocksize: factor }), order);
}

/** The channels of these indices. */
export const gatherChannels = (m: NetworkModule, x: Value, order: number[]): Value =>
  m.op('Gather', [x, m.graph.int64Initializer(order)], { axis: 1 });

const COLORS = 3;

/** The channels of the images of an autoencoder whose last layer has so many: four are colors and their opacity. */
export const imageChannels = (channels: number): number => (channels === COLORS + 1 ? channels : COLORS);

/**
 * Squares of pixels as channels, by color, column and row. Nothing when there is a channel for each color.
 * @param channels of the result
 */
export function pixelsToPatches(m: NetworkModule, x: Value, channels: number): Value {
  if (channels === imageChannels(channels)) return x;
  const side = Math.sqrt(channels / COLORS);
  // ONNX puts the colors of a pixel next to each other.
  const order = Array.from({ length: channels }, (_, at) => {
    const [row, column, color] = [at % side, Math.floor(at / side) % side, Math.floor(at / side ** 2)];
    return (row * side + column) * COLORS + color;
  });
  return gatherChannels(m, m.op('SpaceToDepth', [x], { blocksize: side }), order);
}

/** Reverts `pixelsToPatches`. @param channels of `x` */
export function patchesToPixels(m: NetworkModule, x: Value, channels: number): Value {
  if (channels === imageChannels(channels)) return x;
  const side = Math.sqrt(channels / COLORS);
  const order = Array.from({ length: channels }, (_, at) => {
    const [column, row, color] = [at % side, Math.floor(at / side) % side, Math.floor(at / side ** 2)];
    return (color * side + column) * side + row;
  });
  return pixelShuffle(m, gatherChannels(m, x, order), side);
}
