import { toBatch } from '../../values/batches.ts';
import type { FloatTensor } from '../../values/tensor.ts';

/**
 * The pooled embeddings of prompts for `batch` images each.
 *
 * @throws TypeError when a prompt has none.
 */
export function pooledEmbeddings(
  prompts: readonly { options: { pooled?: FloatTensor } }[],
  batch: number,
): FloatTensor {
  const pooled = prompts.map(({ options }) => {
    if (!options.pooled)
      throw new TypeError('this model needs prompts with a pooled embedding: encode them with its own CLIP');
    return options.pooled;
  });
  return toBatch(pooled, batch);
}
