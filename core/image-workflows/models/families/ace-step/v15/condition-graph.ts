/** Lyrics, a voice and a description as tokens for the transformer of ACE-Step 1.5. */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { concat, slice } from '../../../layers/elementary.ts';
import { linear } from '../../../layers/linear.ts';
import { NetworkModule } from '../../../layers/network-module.ts';
import { musicEncoder } from './music-layers.ts';

/**
 * Inputs:
 * - `encoder_hidden_states` [1, text tokens, width], the description;
 * - `lyric_states` [1, lyric tokens, width], embeddings of the tokens of the lyrics;
 * - `timbre` [1, cells, channels], latents of the audio with the voice.
 *
 * Output: `conditions` [1, lyric tokens + 1 + text tokens, width].
 * @throws ModelUnsupported when weights are missing
 */
export function conditionGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const encoder = root.at('encoder');
  const [width = 0, textWidth = 0] = encoder.at('text_projector').shape();
  const lyrics = encoder.at('lyric_encoder');
  const timbre = encoder.at('timbre_encoder');
  const [, lyricWidth = 0] = lyrics.at('embed_tokens').shape();
  const [, channels = 0] = timbre.at('embed_tokens').shape();
  const heard = musicEncoder(timbre, linear(timbre.at('embed_tokens'), 'timbre'));
  const conditions = concat(
    root,
    1,
    musicEncoder(lyrics, linear(lyrics.at('embed_tokens'), 'lyric_states')),
    // The first cell stands for all.
    slice(timbre, heard, 1, 0, 1),
    linear(encoder.at('text_projector'), 'encoder_hidden_states'),
  );
  root.graph.node('Identity', [conditions], {}, 'conditions');
  return root.graph.buildModel(
    [
      { name: 'encoder_hidden_states', type: 'float32', shape: [1, 'text tokens', textWidth] },
      { name: 'lyric_states', type: 'float32', shape: [1, 'lyric tokens', lyricWidth] },
      { name: 'timbre', type: 'float32', shape: [1, 'cells', channels] },
    ],
    [{ name: 'conditions', type: 'float32', shape: [1, 'tokens', width] }],
  );
}
