import { repeatBatch } from '../../values/batches.ts';
import { feed, requireSlot } from '../graphs/session-tensors.ts';
import type { NetworkLayout } from './onnx-network.ts';
import { cropToSize, padToPatches } from './packed-tokens.ts';
import { positionFeed, positionsOf, sharedFeeds, textPositions } from './transformer-layouts.ts';

/** Transformers that take and give images, with one token for each square of pixels. @param patch its side in pixels */
export const pixelLayout = (patch: number): NetworkLayout => ({
  outputs: ['out_sample'],
  feeds(input) {
    const hidden = requireSlot(input.session, 'hidden_states');
    const padded = padToPatches(input.x, patch);
    const places = positionsOf(padded.shape.slice(2), { layer: 0, top: 0, left: 0 }, patch);
    return {
      ...sharedFeeds(input),
      [hidden.name]: feed(hidden, repeatBatch(padded, input.prompts.length)),
      ...positionFeed(input, 'img_ids', places),
      ...positionFeed(input, 'txt_ids', textPositions(input)),
    };
  },
  toLatent: (output, x) => cropToSize(output, x),
});
