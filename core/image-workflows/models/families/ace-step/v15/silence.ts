/** The latents that the autoencoder of ACE-Step 1.5 makes of silence: `silence_latent.pt` of the published model (MIT). */
import { type FloatTensor, zeros } from '../../../../values/tensor.ts';
import numbers from './silence.json' with { type: 'json' };

/** [1, channels, cells]. The first cells differ from the others, which are all the same. */
export function silentLatents(cells: number): FloatTensor {
  const { first, rest } = numbers;
  const result = zeros([1, rest.length, cells]);
  for (let cell = 0; cell < cells; cell++)
    for (const [channel, value] of (first[cell] ?? rest).entries())
      result.data[channel * cells + cell] = value;
  return result;
}
