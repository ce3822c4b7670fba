/** Statistics of single images in a batch. */
import type { FloatTensor } from '../../values/tensor.ts';

/** Calls `compute` with the element range [start, end) of each image. */
export function forEachImage(
  { shape, data }: FloatTensor,
  compute: (start: number, end: number, index: number) => void,
): void {
  const size = data.length / shape[0]!;
  for (let index = 0; index < shape[0]!; index++) compute(index * size, (index + 1) * size, index);
}

export function dot(a: Float32Array, b: Float32Array, start = 0, end = a.length): number {
  let sum = 0;
  for (let i = start; i < end; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** The sample standard deviation, with n - 1. */
export function standardDeviation(data: Float32Array, start: number, end: number): number {
  let mean = 0;
  for (let i = start; i < end; i++) mean += data[i]!;
  mean /= end - start;
  let sum = 0;
  for (let i = start; i < end; i++) sum += (data[i]! - mean) ** 2;
  return Math.sqrt(sum / Math.max(end - start - 1, 1));
}

/** The norm over the channels of each cell of [batch, channels, height, width], repeated for each channel. */
export function channelNorms({ shape, data }: FloatTensor): Float32Array {
  const [batch = 1, channels = 1] = shape;
  const cells = data.length / (batch * channels);
  const norms = new Float32Array(data.length);
  for (let image = 0; image < batch; image++)
    for (let cell = 0; cell < cells; cell++) {
      const start = image * channels * cells + cell;
      let sum = 0;
      for (let channel = 0; channel < channels; channel++) sum += data[start + channel * cells]! ** 2;
      const norm = Math.sqrt(sum);
      for (let channel = 0; channel < channels; channel++) norms[start + channel * cells] = norm;
    }
  return norms;
}
