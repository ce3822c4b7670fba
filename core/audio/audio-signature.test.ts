import { expect, test } from 'vitest';
import { audioFormat, isAudioFile } from './audio-signature.ts';

const bytes = (latin1: string) => new Uint8Array(Buffer.from(latin1, 'latin1'));

test.each([
  ['fLaC....', 'FLAC'],
  ['RIFF....WAVE', 'WAV'],
  ['OggS....', 'Ogg'],
  ['ID3.....', 'MP3'],
  ['\xff\xfb\x90\x00', 'MP3'],
  ['\xff\xf1\x50\x80', 'AAC'],
  ['....ftypM4A ', 'MP4'],
  ['\x1aE\xdf\xa3', 'WebM'],
  ['FORM....AIFF', 'AIFF'],
])('%j begins an audio file', (start, format) => {
  expect(audioFormat(bytes(start))).toBe(format);
  expect(isAudioFile(bytes(start))).toBe(true);
});

test.each([
  ['PNG', '\x89PNG\r\n\x1a\n'],
  ['JPEG', '\xff\xd8\xff\xe0'],
  ['WebP', 'RIFF....WEBP'],
  ['GIF', 'GIF89a'],
  ['AVIF', '....ftypavif'],
  ['HEIC', '....ftypheic'],
  ['nothing', ''],
  ['one byte', '\xff'],
])('%s is no audio', (_, start) => {
  expect(isAudioFile(bytes(start))).toBe(false);
});
