/** Latents of videos as tokens of a transformer, and their positions. */
import { type FloatTensor, zeros } from '../../values/tensor.ts';

/** Latent cells of a token along frames, rows and columns. */
export type VideoPatch = readonly [frames: number, rows: number, columns: number];

/** `channels first`: the cells of a channel follow one another. `channels last`: the channels of a cell do. */
export type FeatureOrder = 'channels first' | 'channels last';

/** The numbers of tokens along frames, rows and columns. */
export const videoSides = ({ shape }: FloatTensor, patch: VideoPatch): [number, number, number] =>
  shape.slice(2).map((side, axis) => Math.ceil(side / patch[axis]!)) as [number, number, number];

/**
 * [batch, channels, frames, height, width] to [batch, frames, tokens of a frame, features]. Cells that fill up a side are
 * those of the opposite side (circular padding).
 */
export function packVideo(x: FloatTensor, patch: VideoPatch, order: FeatureOrder): FloatTensor {
  const [batch = 1, channels = 1] = x.shape;
  const sides = videoSides(x, patch);
  const features = channels * patch[0] * patch[1] * patch[2];
  const result = zeros([batch, sides[0], sides[1] * sides[2], features]);
  eachRow(x.shape, sides, patch, order, ({ packed, unpacked, width, across }) => {
    for (let column = 0; column < across; column++)
      result.data[packed(column)] = x.data[unpacked + (column % width)]!;
  });
  return result;
}

/** Reverts `packVideo`, with as many channels as the features give. @param x has the sides of the result */
export function unpackVideo(
  { shape, data }: FloatTensor,
  x: FloatTensor,
  patch: VideoPatch,
  order: FeatureOrder,
): FloatTensor {
  const [batch = 1] = shape;
  const channels = shape.at(-1)! / (patch[0] * patch[1] * patch[2]);
  const sides = videoSides(x, patch);
  const result = zeros([batch, channels, ...x.shape.slice(2)]);
  eachRow(result.shape, sides, patch, order, ({ packed, unpacked, width, isRepeated }) => {
    if (isRepeated) return;
    for (let column = 0; column < width; column++) result.data[unpacked + column] = data[packed(column)]!;
  });
  return result;
}

interface Row {
  /** The index of a cell of the row among the tokens. */
  packed(column: number): number;
  /** The index of the row's first cell in the latent. */
  unpacked: number;
  width: number;
  /** The cells of the row with those that fill it up. */
  across: number;
  /** The row fills up a side. */
  isRepeated: boolean;
}

function eachRow(
  [batch = 1, channels = 1, frames = 1, height = 1, width = 1]: readonly number[],
  [across0, across1, across2]: readonly [number, number, number],
  [patchFrames, patchRows, patchColumns]: VideoPatch,
  order: FeatureOrder,
  visit: (row: Row) => void,
): void {
  const cells = patchFrames * patchRows * patchColumns;
  const features = channels * cells;
  const [channelStep, cellStep] = order === 'channels first' ? [cells, 1] : [1, channels];
  for (let video = 0; video < batch; video++)
    for (let channel = 0; channel < channels; channel++)
      for (let frame = 0; frame < across0 * patchFrames; frame++)
        for (let row = 0; row < across1 * patchRows; row++) {
          const line =
            (video * across0 + Math.floor(frame / patchFrames)) * across1 + Math.floor(row / patchRows);
          const cell = ((frame % patchFrames) * patchRows + (row % patchRows)) * patchColumns;
          const start = line * across2 * features + channel * channelStep;
          const plane = (video * channels + channel) * frames + (frame % frames);
          visit({
            packed: (column) =>
              start +
              Math.floor(column / patchColumns) * features +
              (cell + (column % patchColumns)) * cellStep,
            unpacked: (plane * height + (row % height)) * width,
            width,
            across: across2 * patchColumns,
            isRepeated: frame >= frames || row >= height,
          });
        }
}

/** Frame, row and column of each token: [tokens, 3]. */
export function videoPositions([frames, rows, columns]: readonly [number, number, number]): FloatTensor {
  const result = zeros([frames * rows * columns, 3]);
  for (let at = 0; at < frames * rows * columns; at++)
    result.data.set(
      [Math.floor(at / (rows * columns)), Math.floor(at / columns) % rows, at % columns],
      at * 3,
    );
  return result;
}
