import type { PcmAudio } from '#core/host';
import { type Audio, audioPlanes } from '../../audio/audio.ts';
import type { ImageReference } from '../../files/workflow-files.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { saveFiles } from '../kernel/save-files.ts';

/** Each sound of a batch as a file of its own, as `encode` makes it; an interrupt point before each. */
export async function saveAudioFiles(
  sound: Audio,
  [prefix, folder, extension]: readonly [prefix: string, folder: 'output' | 'temp', extension: string],
  context: NodeContext,
  encode: (sound: PcmAudio, texts: Record<string, string>) => Promise<Uint8Array>,
): Promise<ImageReference[]> {
  const target = await context.files.target(prefix, folder);
  const planes = audioPlanes(sound);
  const [batch = 1, channels = 1] = sound.waveform.shape;
  return saveFiles(batch, [target, folder, extension], context, (index, texts) => {
    const own = planes.slice(index * channels, (index + 1) * channels);
    return encode({ sampleRate: sound.sample_rate, channels: own }, texts);
  });
}
