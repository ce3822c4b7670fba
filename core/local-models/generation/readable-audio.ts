import { isAudioFile } from '#core/audio';
import { concatBytes } from '#core/base';
import { type Host, RequestRefused } from '#core/host';

/**
 * The media of a prompt as engines take them: audio becomes WAV files of one channel, with 16 bits and 16,000 samples a
 * second. Images stay as they are.
 * @throws RequestRefused for audio that cannot be read; the signal's reason
 */
export async function withReadableAudio(
  media: Uint8Array[],
  { mediaCodecs }: Pick<Host, 'mediaCodecs'>,
  signal: AbortSignal,
): Promise<Uint8Array[]> {
  if (!media.some(isAudioFile)) return media;
  const { AudioUnreadable, decodeSpeech, pcm16, SPEECH_RATE, wavHead } = await import('#core/audio/lazy.ts');
  const readable: Uint8Array[] = [];
  for (const [index, file] of media.entries()) {
    if (!isAudioFile(file)) {
      readable.push(file);
      continue;
    }
    try {
      const samples = await decodeSpeech(file, signal, mediaCodecs);
      if (samples.length === 0) throw new AudioUnreadable('it contains no audio');
      readable.push(concatBytes([wavHead(SPEECH_RATE, samples.length), pcm16(samples)]));
    } catch (error) {
      if (!(error instanceof AudioUnreadable)) throw error;
      const message = `audio ${index + 1} cannot be read: ${error.message}`;
      throw new RequestRefused(message, { cause: error });
    }
  }
  return readable;
}
