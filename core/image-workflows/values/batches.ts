/** Batches for several prompts and images at once. Along the first axis, all images of a prompt follow one another. */
import { elementCount, type FloatTensor, zeros } from './tensor.ts';

/** Repeats a whole batch: [batch, …] to [batch x times, …]. */
export function repeatBatch({ shape, data }: FloatTensor, times: number): FloatTensor {
  const result = zeros([shape[0]! * times, ...shape.slice(1)]);
  for (let i = 0; i < times; i++) result.data.set(data, i * data.length);
  return result;
}

/** Concatenates tensors along the first axis, each repeated cyclically to `batch` entries. */
export function toBatch(tensors: readonly FloatTensor[], batch: number): FloatTensor {
  const [first] = tensors;
  const result = zeros([batch * tensors.length, ...first!.shape.slice(1)]);
  const size = result.data.length / result.shape[0]!;
  let at = 0;
  for (const { shape, data } of tensors)
    for (let index = 0; index < batch; index++) {
      const from = (index % shape[0]!) * size;
      result.data.set(data.subarray(from, from + size), at);
      at += size;
    }
  return result;
}

/** The channels [start, end) of [batch, channels, …]. Without `end`, all from `start` on. */
export function channelRange({ shape, data }: FloatTensor, start: number, end = shape[1]!): FloatTensor {
  const [batch = 1, channels = 1, ...sides] = shape;
  const size = data.length / (batch * channels);
  const result = zeros([batch, end - start, ...sides]);
  for (let index = 0; index < batch; index++)
    result.data.set(
      data.subarray((index * channels + start) * size, (index * channels + end) * size),
      index * (end - start) * size,
    );
  return result;
}

/** [batch, a, …] and [batch, b, …] to [batch, a + b, …]. */
export const concatChannels = (first: FloatTensor, second: FloatTensor): FloatTensor =>
  concatAlong(1, first, second);

/** One tensor after the other along an axis. Their other sides are equal. */
export function concatAlong(axis: number, first: FloatTensor, second: FloatTensor): FloatTensor {
  const before = first.shape.slice(0, axis);
  const rows = elementCount(before);
  const result = zeros([...before, first.shape[axis]! + second.shape[axis]!, ...first.shape.slice(axis + 1)]);
  const [sizeA, sizeB] = [first.data.length / rows, second.data.length / rows];
  for (let i = 0; i < rows; i++) {
    result.data.set(first.data.subarray(i * sizeA, (i + 1) * sizeA), i * (sizeA + sizeB));
    result.data.set(second.data.subarray(i * sizeB, (i + 1) * sizeB), i * (sizeA + sizeB) + sizeA);
  }
  return result;
}
