import { repeatBatch, toBatch } from '../../../../values/batches.ts';
import type { FloatTensor } from '../../../../values/tensor.ts';
import { feedAll } from '../../../graphs/session-tensors.ts';
import type { NetworkLayout } from '../../../networks/onnx-network.ts';

/** The inputs of ACE-Step 1.5, from prompts that `musicConditions` has converted. */
export const musicLayout: NetworkLayout = {
  outputs: ['out_sample'],
  feeds({ session, x, timestep, prompts }) {
    const [batch = 1] = x.shape;
    const feeds: Record<string, FloatTensor> = {
      hidden_states: repeatBatch(x, prompts.length),
      timestep: { shape: [1], data: Float32Array.of(timestep) },
      encoder_hidden_states: toBatch(
        prompts.map(({ tensor }) => tensor),
        batch,
      ),
      source: toBatch(
        prompts.map(({ videoInputs }) => videoInputs!.source!),
        batch,
      ),
    };
    return feedAll(session, feeds);
  },
};
