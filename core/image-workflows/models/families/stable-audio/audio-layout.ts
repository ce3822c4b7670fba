import { concatChannels, repeatBatch, toBatch } from '../../../values/batches.ts';
import type { FloatTensor } from '../../../values/tensor.ts';
import { feedAll } from '../../graphs/session-tensors.ts';
import type { NetworkLayout } from '../../networks/onnx-network.ts';

/** The inputs of Stable Audio. The tokens of the times follow those of the text. */
export const stableAudioLayout: NetworkLayout = {
  outputs: ['out_sample'],
  feeds({ session, x, timestep, prompts }) {
    const [batch = 1] = x.shape;
    const texts = prompts.map(({ tensor, appended }) =>
      // For [batch, tokens, width], concatenating along the second axis appends tokens.
      appended ? concatChannels(tensor, toBatch([appended], tensor.shape[0]!)) : tensor,
    );
    const globals = prompts.map(({ classLabels }) => {
      if (!classLabels) throw new TypeError('this model needs the times of its prompts');
      return classLabels;
    });
    const feeds: Record<string, FloatTensor> = {
      hidden_states: repeatBatch(x, prompts.length),
      timestep: { shape: [1], data: Float32Array.of(timestep) },
      encoder_hidden_states: toBatch(texts, batch),
      global_embeds: toBatch(globals, batch),
    };
    return feedAll(session, feeds);
  },
};
