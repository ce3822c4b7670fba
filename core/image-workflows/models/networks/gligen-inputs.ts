/** The inputs of a GLIGEN UNet (Li et al., "GLIGEN: open-set grounded text-to-image generation", 2023, section 3). */
import type { Tensor, TensorSession } from '#core/host';
import { toBatch } from '../../values/batches.ts';
import type { GligenBox, NetworkPrompt } from '../../values/network.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { feed, findSlot, requireSlot } from '../graphs/session-tensors.ts';

/** The published models were trained with this many boxes. */
const USUAL_LIMIT = 30;

export const GLIGEN_INPUTS = ['boxes', 'positive_embeddings', 'masks'] as const;

/** Unused boxes are zeros in all three tensors. */
interface BoxInputs {
  /** [1, limit, 4]: left, top, right and bottom as fractions of the image. */
  corners: FloatTensor;
  /** [1, limit, width]: the pooled embeddings of the phrases. */
  phrases: FloatTensor;
  /** [1, limit]: 1 for each used box. */
  masks: FloatTensor;
}

/**
 * The boxes of all prompts, for latents [batch, channels, height, width]. Empty when the network has no such inputs.
 *
 * @throws RangeError for too many boxes, and TypeError for phrases of another encoder.
 */
export function gligenFeeds(
  session: TensorSession,
  prompts: readonly NetworkPrompt[],
  [batch = 1, , height = 1, width = 1]: readonly number[],
): Record<string, Tensor> {
  if (!findSlot(session.inputs, 'boxes')) return {};
  const [corners, phrases, masks] = GLIGEN_INPUTS.map((name) => requireSlot(session, name));
  const boxLists = prompts.map(({ options }) => options.gligen?.boxes ?? []);
  const limit = Number(corners!.shape[1]) || USUAL_LIMIT;
  const phraseWidth = Number(phrases!.shape.at(-1)) || (boxLists.flat()[0]?.pooled.shape[1] ?? 0);
  const inputs = boxLists.map((boxes) => boxInputs(boxes, limit, phraseWidth, [height, width]));
  const join = (name: keyof BoxInputs) =>
    toBatch(
      inputs.map((input) => input[name]),
      batch,
    );
  return {
    [corners!.name]: feed(corners!, join('corners')),
    [phrases!.name]: feed(phrases!, join('phrases')),
    [masks!.name]: feed(masks!, join('masks')),
  };
}

function boxInputs(
  boxes: readonly GligenBox[],
  limit: number,
  phraseWidth: number,
  [height, width]: readonly [number, number],
): BoxInputs {
  if (boxes.length > limit)
    throw new RangeError(`this model takes ${limit} boxes at most, and the prompt has ${boxes.length}`);
  const inputs = {
    corners: zeros([1, limit, 4]),
    phrases: zeros([1, limit, phraseWidth]),
    masks: zeros([1, limit]),
  };
  for (const [index, { pooled, ...box }] of boxes.entries()) {
    if (pooled.data.length !== phraseWidth)
      throw new TypeError(
        `this model takes phrases of ${phraseWidth} numbers; the box's has ${pooled.data.length}: encode it with the CLIP of Stable Diffusion 1`,
      );
    const corners = [
      box.x / width,
      box.y / height,
      (box.x + box.width) / width,
      (box.y + box.height) / height,
    ];
    inputs.corners.data.set(corners, index * 4);
    inputs.phrases.data.set(pooled.data, index * phraseWidth);
    inputs.masks.data[index] = 1;
  }
  return inputs;
}
