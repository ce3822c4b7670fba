/** Formats of files by their first bytes. WAV and FLAC have decoders here. */
const SIGNATURES: readonly [name: string, ...parts: [offset: number, signature: string][]][] = [
  ['FLAC', [0, 'fLaC']],
  ['WAV', [0, 'RIFF'], [8, 'WAVE']],
  ['Ogg', [0, 'OggS']],
  ['MP3', [0, 'ID3']],
  ['MP4', [4, 'ftyp']],
  ['WebM', [0, '\x1aE\xdf\xa3']],
  ['AIFF', [0, 'FORM']],
];

/** Images have the container of MP4 files, too: AVIF and HEIC, alone or as a sequence. */
const IMAGE_BRANDS = ['avif', 'avis', 'heic', 'heix', 'hevc', 'mif1', 'msf1'];

const begins = (bytes: Uint8Array, offset: number, signature: string) =>
  [...signature].every((letter, index) => bytes[offset + index] === letter.charCodeAt(0));

/** The name of the format of an audio or video file. Undefined: the first bytes are of none. */
export function audioFormat(bytes: Uint8Array): string | undefined {
  // A frame without a file begins with eleven bits. JPEG files begin with FF D8. The bits of the layer are 0 in AAC.
  const isFrame = bytes[0] === 0xff && (bytes[1]! & 0xe0) === 0xe0;
  if (isFrame) return (bytes[1]! & 0x06) === 0 ? 'AAC' : 'MP3';
  return SIGNATURES.find(([, ...parts]) =>
    parts.every(([offset, signature]) => begins(bytes, offset, signature)),
  )?.[0];
}

/** Whether these are the first bytes of an audio or video file, and not of an image. */
export function isAudioFile(bytes: Uint8Array): boolean {
  return audioFormat(bytes) !== undefined && !IMAGE_BRANDS.some((brand) => begins(bytes, 8, brand));
}
