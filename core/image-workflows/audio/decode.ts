import { type MediaCodecs, MediaUnavailable, MediaUnreadable } from '#core/host';
import { type Audio, AudioUnreadable, audioFromPlanes, MAX_SAMPLES } from './audio.ts';
import { decodeFlac } from './flac/decode.ts';
import { decodeWav } from './wav.ts';

/** Formats that only the platform can decode, to name them in errors. */
const SIGNATURES: readonly [offset: number, signature: string, name: string][] = [
  [0, 'OggS', 'Ogg'],
  [0, 'ID3', 'MP3'],
  [4, 'ftyp', 'MP4'],
  [0, '\x1aE\xdf\xa3', 'WebM'],
  [0, 'FORM', 'AIFF'],
];

/**
 * Decodes an audio file to a batch of one. WAV, FLAC and Opus in Ogg are decoded here, other formats by the platform's
 * codecs. Rejects with `AudioUnreadable` for other bytes, or the signal's reason.
 */
export async function decodeAudio(
  bytes: Uint8Array,
  signal: AbortSignal,
  codecs?: MediaCodecs,
): Promise<Audio> {
  const begins = (offset: number, signature: string) =>
    [...signature].every((letter, index) => bytes[offset + index] === letter.charCodeAt(0));
  if (begins(0, 'fLaC')) return decodeFlac(bytes, signal);
  if (begins(0, 'RIFF') && begins(8, 'WAVE')) return decodeWav(bytes, signal);
  if (begins(0, 'OggS')) {
    const { decodeOggOpus } = await import('./opus/decode.ts');
    const audio = await decodeOggOpus(bytes, signal);
    if (audio) return audio;
  }
  if (codecs) return decodeByPlatform(bytes, codecs, signal);
  const isMp3Frame = bytes[0] === 0xff && (bytes[1]! & 0xe0) === 0xe0;
  const format = isMp3Frame ? 'MP3' : SIGNATURES.find(([at, signature]) => begins(at, signature))?.[2];
  throw new AudioUnreadable(
    format ? `${format} files are not read here: save it as WAV or FLAC` : 'it is no WAV or FLAC file',
  );
}

async function decodeByPlatform(bytes: Uint8Array, codecs: MediaCodecs, signal: AbortSignal): Promise<Audio> {
  try {
    const file = await codecs.open(bytes, signal);
    try {
      if (!file.hasAudio) throw new AudioUnreadable('it contains no audio');
      const { sampleRate, channels } = await file.readAudio(MAX_SAMPLES, signal);
      if (channels.length === 0) throw new AudioUnreadable('it contains no audio');
      return audioFromPlanes(channels, channels.length, sampleRate);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!(error instanceof MediaUnreadable || error instanceof MediaUnavailable)) throw error;
    throw new AudioUnreadable(error.message, { cause: error });
  }
}
