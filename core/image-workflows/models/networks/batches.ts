/** Tensors for several prompts and pictures at once: prompt by prompt, in each all pictures. */
import { type FloatTensor, zeros } from '../../values/tensor.ts';

export function repeatBatch({ shape, data }: FloatTensor, times: number): FloatTensor {
  const made = zeros([shape[0]! * times, ...shape.slice(1)]);
  for (let i = 0; i < times; i++) made.data.set(data, i * data.length);
  return made;
}

/** Each of the tensors for `batch` pictures, one after another; those with fewer start over. */
export function toBatch(tensors: readonly FloatTensor[], batch: number): FloatTensor {
  const [first] = tensors;
  const made = zeros([batch * tensors.length, ...first!.shape.slice(1)]);
  const size = made.data.length / made.shape[0]!;
  let at = 0;
  for (const { shape, data } of tensors)
    for (let picture = 0; picture < batch; picture++) {
      const from = (picture % shape[0]!) * size;
      made.data.set(data.subarray(from, from + size), at);
      at += size;
    }
  return made;
}

/** [batch, a, …] and [batch, b, …] as [batch, a + b, …]. */
export function concatChannels(first: FloatTensor, second: FloatTensor): FloatTensor {
  const [batch = 1, a = 0, ...rest] = first.shape;
  const made = zeros([batch, a + second.shape[1]!, ...rest]);
  const [sizeA, sizeB] = [first.data.length / batch, second.data.length / batch];
  for (let i = 0; i < batch; i++) {
    made.data.set(first.data.subarray(i * sizeA, (i + 1) * sizeA), i * (sizeA + sizeB));
    made.data.set(second.data.subarray(i * sizeB, (i + 1) * sizeB), i * (sizeA + sizeB) + sizeA);
  }
  return made;
}

/** The summaries of prompts, for `batch` pictures. Throws where one has none. */
export function pooledEmbeddings(
  prompts: readonly { options: { pooled?: FloatTensor } }[],
  batch: number,
): FloatTensor {
  const pooled = prompts.map(({ options }) => {
    if (!options.pooled)
      throw new TypeError(
        'this model needs prompts with a summary (pooled output): encode them with its own CLIP',
      );
    return options.pooled;
  });
  return toBatch(pooled, batch);
}
