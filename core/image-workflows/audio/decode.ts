import { decodeFlac } from './flac/decode.ts';
import { type Sound, SoundUnreadable } from './sound.ts';
import { decodeWav } from './wav.ts';

const KNOWN: readonly [place: number, signature: string, name: string][] = [
  [0, 'OggS', 'Ogg'],
  [0, 'ID3', 'MP3'],
  [4, 'ftyp', 'MP4'],
  [0, '\x1aE\xdf\xa3', 'WebM'],
  [0, 'FORM', 'AIFF'],
];

/** WAV or FLAC, told by their beginnings: one sound. Rejects with `SoundUnreadable` for other bytes, or the signal's reason. */
export async function decodeSound(bytes: Uint8Array, signal: AbortSignal): Promise<Sound> {
  const begins = (place: number, signature: string) =>
    [...signature].every((letter, index) => bytes[place + index] === letter.charCodeAt(0));
  if (begins(0, 'fLaC')) return decodeFlac(bytes, signal);
  if (begins(0, 'RIFF') && begins(8, 'WAVE')) return decodeWav(bytes, signal);
  const isMp3Frame = bytes[0] === 0xff && (bytes[1]! & 0xe0) === 0xe0;
  const known = isMp3Frame ? 'MP3' : KNOWN.find(([place, signature]) => begins(place, signature))?.[2];
  throw new SoundUnreadable(
    known ? `${known} files are not read here: save it as WAV or FLAC` : 'it is no WAV or FLAC file',
  );
}
