/** Latents as the tokens of transformers: one for 2 x 2 cells. */
import { type FloatTensor, zeros } from '../../values/tensor.ts';

/** Latent cells a side that make one token. */
export const PATCH_SIZE = 2;

/** With even sides: what is missing is taken from the opposite side. */
export function padToEven(x: FloatTensor): FloatTensor {
  const [batch = 1, channels = 1, height = 1, width = 1] = x.shape;
  const [high, wide] = [
    Math.ceil(height / PATCH_SIZE) * PATCH_SIZE,
    Math.ceil(width / PATCH_SIZE) * PATCH_SIZE,
  ];
  if (high === height && wide === width) return x;
  const made = zeros([batch, channels, high, wide]);
  for (let plane = 0; plane < batch * channels; plane++)
    for (let row = 0; row < high; row++)
      for (let column = 0; column < wide; column++)
        made.data[(plane * high + row) * wide + column] =
          x.data[(plane * height + (row % height)) * width + (column % width)]!;
  return made;
}

/** The part of [any batch, channels, height, width] that is as large as `x`. */
export function cropToSize({ shape, data }: FloatTensor, x: FloatTensor): FloatTensor {
  const [batch = 1, channels = 1, high = 1, wide = 1] = shape;
  const [height = 1, width = 1] = x.shape.slice(2);
  if (high === height && wide === width) return { shape, data };
  const made = zeros([batch, channels, height, width]);
  for (let plane = 0; plane < batch * channels; plane++)
    for (let row = 0; row < height; row++) {
      const from = (plane * high + row) * wide;
      made.data.set(data.subarray(from, from + width), (plane * height + row) * width);
    }
  return made;
}

/** [batch, channels, height, width] -> [batch, tokens, channels x 2 x 2] */
export function packTokens({ shape, data }: FloatTensor): FloatTensor {
  const [batch = 1, channels = 1, height = 1, width = 1] = shape;
  const made = zeros([
    batch,
    (height / PATCH_SIZE) * (width / PATCH_SIZE),
    channels * PATCH_SIZE * PATCH_SIZE,
  ]);
  eachCell(batch, channels, height, width, (token, plane) => {
    made.data[token] = data[plane]!;
  });
  return made;
}

/** The first of [batch, tokens, features] that make a latent as large as `x`; what was beside it is left out. */
export function unpackTokens({ shape, data }: FloatTensor, x: FloatTensor): FloatTensor {
  const [batch = 1, tokens = 0, features = 0] = shape;
  const channels = features / (PATCH_SIZE * PATCH_SIZE);
  const [height = 1, width = 1] = x.shape.slice(2).map((side) => Math.ceil(side / PATCH_SIZE) * PATCH_SIZE);
  const made = zeros([batch, channels, height, width]);
  const own = (height / PATCH_SIZE) * (width / PATCH_SIZE) * features;
  const further = tokens * features - own;
  eachCell(batch, channels, height, width, (token, plane) => {
    made.data[plane] = data[token + Math.floor(token / own) * further]!;
  });
  return made;
}

function eachCell(
  batch: number,
  channels: number,
  height: number,
  width: number,
  use: (token: number, plane: number) => void,
): void {
  const across = width / PATCH_SIZE;
  const tokens = (height / PATCH_SIZE) * across;
  let plane = 0;
  for (let picture = 0; picture < batch; picture++)
    for (let channel = 0; channel < channels; channel++)
      for (let row = 0; row < height; row++)
        for (let column = 0; column < width; column++) {
          const token = Math.floor(row / PATCH_SIZE) * across + Math.floor(column / PATCH_SIZE);
          const feature =
            channel * PATCH_SIZE * PATCH_SIZE + (row % PATCH_SIZE) * PATCH_SIZE + (column % PATCH_SIZE);
          use((picture * tokens + token) * channels * PATCH_SIZE * PATCH_SIZE + feature, plane++);
        }
}
