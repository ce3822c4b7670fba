/** Latents as the tokens of a transformer: one token for each patch of 2 x 2 cells. */
import { type FloatTensor, zeros } from '../../values/tensor.ts';

/** Latent cells per token along each side. */
export const PATCH_SIZE = 2;

/** Pads height and width to multiples of the patch size, with cells from the opposite side (circular padding). */
export const padToEven = (x: FloatTensor): FloatTensor => padToPatches(x, PATCH_SIZE);

/** The same for patches of another side. */
export function padToPatches(x: FloatTensor, patch: number): FloatTensor {
  const [batch = 1, channels = 1, height = 1, width = 1] = x.shape;
  const [paddedHeight, paddedWidth] = [paddedSide(height, patch), paddedSide(width, patch)];
  if (paddedHeight === height && paddedWidth === width) return x;
  const result = zeros([batch, channels, paddedHeight, paddedWidth]);
  for (let plane = 0; plane < batch * channels; plane++)
    for (let row = 0; row < paddedHeight; row++)
      for (let column = 0; column < paddedWidth; column++)
        result.data[(plane * paddedHeight + row) * paddedWidth + column] =
          x.data[(plane * height + (row % height)) * width + (column % width)]!;
  return result;
}

const paddedSide = (side: number, patch: number): number => Math.ceil(side / patch) * patch;

/** Crops [any batch, channels, height, width] to the height and width of `x`. */
export function cropToSize({ shape, data }: FloatTensor, x: FloatTensor): FloatTensor {
  const [batch = 1, channels = 1, paddedHeight = 1, paddedWidth = 1] = shape;
  const [height = 1, width = 1] = x.shape.slice(2);
  if (paddedHeight === height && paddedWidth === width) return { shape, data };
  const result = zeros([batch, channels, height, width]);
  for (let plane = 0; plane < batch * channels; plane++)
    for (let row = 0; row < height; row++) {
      const from = (plane * paddedHeight + row) * paddedWidth;
      result.data.set(data.subarray(from, from + width), (plane * height + row) * width);
    }
  return result;
}

/** [batch, channels, height, width] to [batch, tokens, channels x 2 x 2]. The sides are even. */
export function packTokens({ shape, data }: FloatTensor): FloatTensor {
  const [batch = 1, channels = 1, height = 1, width = 1] = shape;
  const tokens = (height / PATCH_SIZE) * (width / PATCH_SIZE);
  const result = zeros([batch, tokens, channels * PATCH_SIZE * PATCH_SIZE]);
  eachCell([batch, channels, height, width], (packed, unpacked) => {
    result.data[packed] = data[unpacked]!;
  });
  return result;
}

/**
 * [batch, tokens, features] to a latent of the padded size of `x`. Tokens after those of the latent, which belong to
 * references, are dropped.
 */
export function unpackTokens({ shape, data }: FloatTensor, x: FloatTensor): FloatTensor {
  const [batch = 1, tokens = 0, features = 0] = shape;
  const channels = features / (PATCH_SIZE * PATCH_SIZE);
  const [height = 1, width = 1] = x.shape.slice(2).map((side) => paddedSide(side, PATCH_SIZE));
  const result = zeros([batch, channels, height, width]);
  const latentSize = (height / PATCH_SIZE) * (width / PATCH_SIZE) * features;
  const droppedSize = tokens * features - latentSize;
  eachCell([batch, channels, height, width], (packed, unpacked) => {
    result.data[unpacked] = data[packed + Math.floor(packed / latentSize) * droppedSize]!;
  });
  return result;
}

/** Visits all cells with their indices in packed tokens and in the latent. */
function eachCell(
  [batch, channels, height, width]: readonly [number, number, number, number],
  visit: (packed: number, unpacked: number) => void,
): void {
  const across = width / PATCH_SIZE;
  const tokens = (height / PATCH_SIZE) * across;
  let unpacked = 0;
  for (let image = 0; image < batch; image++)
    for (let channel = 0; channel < channels; channel++)
      for (let row = 0; row < height; row++)
        for (let column = 0; column < width; column++) {
          const token = Math.floor(row / PATCH_SIZE) * across + Math.floor(column / PATCH_SIZE);
          const feature =
            channel * PATCH_SIZE * PATCH_SIZE + (row % PATCH_SIZE) * PATCH_SIZE + (column % PATCH_SIZE);
          visit((image * tokens + token) * channels * PATCH_SIZE * PATCH_SIZE + feature, unpacked++);
        }
}

/** The features of tokens by cell and channel instead of channel and cell. */
export const cellsTogether = (tokens: FloatTensor, channels: number): FloatTensor =>
  swapFeatures(tokens, channels, PATCH_SIZE ** 2);

/** Reverts `cellsTogether`. */
export const cellsApart = (tokens: FloatTensor, channels: number): FloatTensor =>
  swapFeatures(tokens, PATCH_SIZE ** 2, channels);

function swapFeatures({ shape, data }: FloatTensor, outer: number, inner: number): FloatTensor {
  const features = outer * inner;
  const result = new Float32Array(data.length);
  for (let token = 0; token < data.length; token += features)
    for (let i = 0; i < outer; i++)
      for (let j = 0; j < inner; j++) result[token + j * outer + i] = data[token + i * inner + j]!;
  return { shape, data: result };
}
