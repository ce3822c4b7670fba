import type { Host } from '#core/host';
import { loadClipVision } from '#core/image-workflows/models/vision/clip-vision.ts';
import { isNear } from './comparison.ts';
import type { RecordedInputs, RecordedNumbers } from './recorded-numbers.ts';

/**
 * Encodes the recorded image with a file of `models/clip_vision`. Resolves to the number of arrays outside of the
 * tolerance.
 */
export async function replayVision(
  host: Host,
  file: string,
  numbers: RecordedNumbers,
  inputs: RecordedInputs,
): Promise<number> {
  const { signal } = new AbortController();
  const { image } = numbers.recording.inputs ?? {};
  if (!image) throw new Error('no image was recorded');
  const model = await loadClipVision(host, file);
  const pixels = await inputs.input(image);
  const center = await model.encode(pixels, 'center', signal);
  const squeezed = await model.encode(pixels, 'none', signal);
  const arrays = {
    image_embeds: center.imageEmbeds,
    last_hidden_state: center.lastHiddenState,
    penultimate_hidden_states: center.penultimateHiddenState,
    'nocrop.image_embeds': squeezed.imageEmbeds,
  };
  let far = 0;
  for (const [name, tensor] of Object.entries(arrays))
    if (!tensor || !isNear(numbers, name, tensor.data)) far++;
  return far;
}
