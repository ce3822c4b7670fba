import { type MediaCodecs, MediaUnavailable, MediaUnreadable } from '#core/host';
import { type Audio, AudioUnreadable, audioFromPlanes, MAX_SAMPLES } from './audio.ts';
import { decodeFlac } from './flac/decode.ts';
import { decodeWav } from './wav.ts';

const KNOWN: readonly [place: number, signature: string, name: string][] = [
  [0, 'OggS', 'Ogg'],
  [0, 'ID3', 'MP3'],
  [4, 'ftyp', 'MP4'],
  [0, '\x1aE\xdf\xa3', 'WebM'],
  [0, 'FORM', 'AIFF'],
];

/**
 * WAV, FLAC and Opus in Ogg, told by their beginnings, and what else the platform reads: one sound. Rejects with `SoundUnreadable`
 * for other bytes, or the signal's reason.
 */
export async function decodeAudio(
  bytes: Uint8Array,
  signal: AbortSignal,
  codecs?: MediaCodecs,
): Promise<Audio> {
  const begins = (place: number, signature: string) =>
    [...signature].every((letter, index) => bytes[place + index] === letter.charCodeAt(0));
  if (begins(0, 'fLaC')) return decodeFlac(bytes, signal);
  if (begins(0, 'RIFF') && begins(8, 'WAVE')) return decodeWav(bytes, signal);
  if (begins(0, 'OggS')) {
    const { decodeOggOpus } = await import('./opus/decode.ts');
    const sound = await decodeOggOpus(bytes, signal);
    if (sound) return sound;
  }
  if (codecs) return decodeByPlatform(bytes, codecs, signal);
  const isMp3Frame = bytes[0] === 0xff && (bytes[1]! & 0xe0) === 0xe0;
  const known = isMp3Frame ? 'MP3' : KNOWN.find(([place, signature]) => begins(place, signature))?.[2];
  throw new AudioUnreadable(
    known ? `${known} files are not read here: save it as WAV or FLAC` : 'it is no WAV or FLAC file',
  );
}

async function decodeByPlatform(bytes: Uint8Array, codecs: MediaCodecs, signal: AbortSignal): Promise<Audio> {
  try {
    const file = await codecs.open(bytes, signal);
    try {
      if (!file.hasAudio) throw new AudioUnreadable('there is no sound in it');
      const { sampleRate, channels } = await file.readAudio(MAX_SAMPLES, signal);
      if (channels.length === 0) throw new AudioUnreadable('there is no sound in it');
      return audioFromPlanes(channels, channels.length, sampleRate);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!(error instanceof MediaUnreadable || error instanceof MediaUnavailable)) throw error;
    throw new AudioUnreadable(error.message, { cause: error });
  }
}
