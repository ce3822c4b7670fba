import { repeatBatch, toBatch } from '../../../values/batches.ts';
import type { FloatTensor } from '../../../values/tensor.ts';
import { feedAll, requireSlot } from '../../graphs/session-tensors.ts';
import type { NetworkLayout } from '../../networks/onnx-network.ts';
import { LATENT_ROWS } from './ace-step-graph.ts';

/** The inputs of ACE-Step. Throws a `TypeError` for latents of another form, and for prompts without lyrics. */
export const aceStepLayout: NetworkLayout = {
  outputs: ['out_sample'],
  groupKey: ({ options: { lyrics } }) => String(lyrics?.tokens.shape[1]),
  feeds({ session, x, timestep, prompts }) {
    const [batch = 1] = x.shape;
    const channels = Number(requireSlot(session, 'hidden_states').shape[1]);
    if (x.shape.length !== 4 || x.shape[1] !== channels || x.shape[2] !== LATENT_ROWS)
      throw new TypeError(
        `this model takes latents [batch, ${channels}, ${LATENT_ROWS}, cells], and these are [${x.shape.join(', ')}]: use EmptyAceStepLatentAudio`,
      );
    const lyrics = prompts.map(({ options }) => {
      if (!options.lyrics)
        throw new TypeError(
          'this model needs the lyrics of its prompts: encode them with TextEncodeAceStepAudio',
        );
      return options.lyrics;
    });
    const feeds: Record<string, FloatTensor> = {
      hidden_states: repeatBatch(x, prompts.length),
      timestep: { shape: [1], data: Float32Array.of(timestep) },
      encoder_hidden_states: toBatch(
        prompts.map(({ tensor }) => tensor),
        batch,
      ),
      lyric_ids: toBatch(
        lyrics.map(({ tokens }) => tokens),
        batch,
      ),
      lyric_strength: toBatch(
        lyrics.map(({ strength }) => ({ shape: [1, 1, 1], data: Float32Array.of(strength) })),
        batch,
      ),
    };
    return feedAll(session, feeds);
  },
};
