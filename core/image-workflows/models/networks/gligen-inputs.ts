/** What a UNet is told of where things are to be (Li et al., "GLIGEN: open-set grounded text-to-image generation", 2023, section 3). */
import type { Tensor, TensorSession } from '#core/host';
import type { NetworkPrompt } from '../../values/network.ts';
import { zeros } from '../../values/tensor.ts';
import { feed, findSlot, requireSlot } from '../graphs/session-tensors.ts';
import { toBatch } from './batches.ts';

/** As many as the first such model was trained with. */
const MOST = 30;

/** Inputs of such a UNet. */
export const GLIGEN_INPUTS = ['boxes', 'positive_embeddings', 'masks'] as const;

/** Corners as shares of a latent [batch, channels, height, width], summaries of texts, and which of them count. Empty: it takes none. */
export function gligenFeeds(
  session: TensorSession,
  prompts: readonly NetworkPrompt[],
  [batch = 1, , height = 1, width = 1]: readonly number[],
): Record<string, Tensor> {
  if (!findSlot(session.inputs, 'boxes')) return {};
  const [corners, texts, counts] = GLIGEN_INPUTS.map((name) => requireSlot(session, name));
  const most = Number(corners!.shape[1]) || MOST;
  const known = prompts.flatMap(({ options }) => options.gligen?.boxes ?? []);
  const size = Number(texts!.shape.at(-1)) || (known[0]?.pooled.shape[1] ?? 0);
  const told = prompts.map(({ options }) => {
    const all = options.gligen?.boxes ?? [];
    if (all.length > most)
      throw new RangeError(`this model is told of ${most} boxes at most, and ${all.length} are given`);
    const one = { boxes: zeros([1, most, 4]), texts: zeros([1, most, size]), masks: zeros([1, most]) };
    for (const [place, { pooled: summary, ...box }] of all.entries()) {
      if (summary.data.length !== size)
        throw new TypeError(
          `this model is told of texts in ${size} numbers; the box's has ${summary.data.length}: encode it with the CLIP of Stable Diffusion 1`,
        );
      const ends = [
        box.x / width,
        box.y / height,
        (box.x + box.width) / width,
        (box.y + box.height) / height,
      ];
      one.boxes.data.set(ends, place * 4);
      one.texts.data.set(summary.data, place * size);
      one.masks.data[place] = 1;
    }
    return one;
  });
  const all = (name: 'boxes' | 'texts' | 'masks') =>
    toBatch(
      told.map((one) => one[name]),
      batch,
    );
  return {
    [corners!.name]: feed(corners!, all('boxes')),
    [texts!.name]: feed(texts!, all('texts')),
    [counts!.name]: feed(counts!, all('masks')),
  };
}
