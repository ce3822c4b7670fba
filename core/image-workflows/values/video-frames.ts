/** Latents of videos with their frames as the first axis. */
import type { FloatTensor } from './tensor.ts';

/** A video of a batch: [batch, channels, frames, height, width] to [frames, channels, height, width]. */
export function byFrames({ shape, data }: FloatTensor, index: number): FloatTensor {
  const [batch = 1, channels = 1, ...sides] = shape;
  const [frames, height, width] = sides.length === 3 ? sides : [1, ...sides];
  const size = data.length / batch;
  const video = {
    shape: [1, channels, frames!, height! * width!],
    data: data.subarray(index * size, (index + 1) * size),
  };
  return { shape: [frames!, channels, height!, width!], data: swapped(video) };
}

/** [frames, channels, height, width] as a video [1, channels, frames, height, width]. */
export function fromFrames({ shape, data }: FloatTensor): FloatTensor {
  const [frames = 1, channels = 1, height = 1, width = 1] = shape;
  const video = { shape: [1, frames, channels, height * width], data };
  return { shape: [1, channels, frames, height, width], data: swapped(video) };
}

/** [1, a, b, cells] to [1, b, a, cells]. */
function swapped({ shape, data }: FloatTensor): Float32Array {
  const [, a = 1, b = 1, cells = 1] = shape;
  const result = new Float32Array(data.length);
  for (let i = 0; i < a; i++)
    for (let j = 0; j < b; j++)
      result.set(data.subarray((i * b + j) * cells, (i * b + j + 1) * cells), (j * a + i) * cells);
  return result;
}
