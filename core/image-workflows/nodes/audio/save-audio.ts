import { encodeFlac } from '#core/audio';
import type { PcmAudio } from '#core/host';
import { type Audio, audioPlanes } from '../../audio/audio.ts';
import type { ImageReference } from '../../files/workflow-files.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { saveFiles } from '../kernel/save-files.ts';

/** Saves each entry of a batch as a file of its own. `encode` returns the bytes of each. Rejects as `saveFiles` does. */
export async function saveAudioFiles(
  audio: Audio,
  [prefix, folder, extension]: readonly [prefix: string, folder: 'output' | 'temp', extension: string],
  context: NodeContext,
  encode: (audio: PcmAudio, texts: Record<string, string>) => Promise<Uint8Array>,
): Promise<ImageReference[]> {
  const target = await context.files.target(prefix, folder);
  const planes = audioPlanes(audio);
  const [batch = 1, channels = 1] = audio.waveform.shape;
  return saveFiles(batch, [target, folder, extension], context, (index, texts) => {
    const entry = planes.slice(index * channels, (index + 1) * channels);
    return encode({ sampleRate: audio.sample_rate, channels: entry }, texts);
  });
}

/** Saves each entry of a batch as a FLAC file of its own. */
export const saveFlacs = (audio: Audio, prefix: string, folder: 'output' | 'temp', context: NodeContext) =>
  saveAudioFiles(audio, [prefix, folder, 'flac'], context, ({ channels, sampleRate }, texts) =>
    encodeFlac(channels, sampleRate, texts, context.signal),
  );
