import { type MediaCodecs, MediaUnavailable, MediaUnreadable, type PcmAudio } from '#core/host';
import { audioFormat } from './audio-signature.ts';
import { AudioUnreadable, MAX_SAMPLES } from './audio-unreadable.ts';
import { decodeFlac } from './flac/decode.ts';
import type { SpeechRate } from './speech-rate.ts';
import { decodeWav } from './wav.ts';

/**
 * Decodes an audio file, or the first audio track of a video. WAV, FLAC and Opus in Ogg are decoded here, other formats by the platform's
 * codecs. Rejects with `AudioUnreadable` for other bytes, or the signal's reason.
 * @param monoRate decoders that can, return one channel with this rate: all of compressed formats
 */
export async function decodeAudio(
  bytes: Uint8Array,
  signal: AbortSignal,
  codecs?: MediaCodecs,
  monoRate?: SpeechRate,
): Promise<PcmAudio> {
  const format = audioFormat(bytes);
  if (format === 'FLAC') return decodeFlac(bytes, signal);
  if (format === 'WAV') return decodeWav(bytes, signal);
  if (format === 'Ogg') {
    const { decodeOggOpus } = await import('./opus/decode.ts');
    const audio = await decodeOggOpus(bytes, signal, monoRate);
    if (audio) return audio;
  }
  if (codecs) return decodeByPlatform(bytes, codecs, signal, monoRate);
  throw new AudioUnreadable(
    format ? `${format} files are not read here: save it as WAV or FLAC` : 'it is no WAV or FLAC file',
  );
}

async function decodeByPlatform(
  bytes: Uint8Array,
  codecs: MediaCodecs,
  signal: AbortSignal,
  monoRate: SpeechRate | undefined,
): Promise<PcmAudio> {
  try {
    const file = await codecs.open(bytes, signal);
    try {
      if (!file.hasAudio) throw new AudioUnreadable('it contains no audio');
      const audio = await file.readAudio(MAX_SAMPLES, signal, monoRate);
      if (audio.channels.length === 0) throw new AudioUnreadable('it contains no audio');
      return audio;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!(error instanceof MediaUnreadable || error instanceof MediaUnavailable)) throw error;
    throw new AudioUnreadable(error.message, { cause: error });
  }
}
