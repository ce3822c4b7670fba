/** What has to be another in files that the browser and the library make. */
import type { VideoCodec } from '#core/host';

/** `TargetTypeValue` 50, and `TargetType` with the word for it, `MOVIE`. */
const LEVEL = [0x68, 0xca, 0x81, 0x32, 0x63, 0xca, 0x85, ...new TextEncoder().encode('MOVIE')];
/** As many bytes as `TargetType` and its length take with the word, that mean nothing. */
const VOID = [0xec, 0x86];

/**
 * Texts are of the whole film with and without the word, but ffmpeg and what is made of it name those with it otherwise
 * (`MOVIE/PROMPT`), and nobody would find the graph. They stand before the pictures.
 */
export function forgetLevel(file: Uint8Array): void {
  for (let at = 0; at < file.length - LEVEL.length; at++) {
    if (LEVEL.some((byte, index) => file[at + index] !== byte)) continue;
    file.set(VOID, at + 4);
    return;
  }
}

/** Where the header of H.264 names its level; 9 is 1b, and 11 the next higher one, 1.1. */
const LEVEL_PLACE = 3;

/** Small slow pictures get a level that the browser which chose it does not take when it reads them. */
export function avoidLevel1b(codec: VideoCodec, config: VideoDecoderConfig | undefined): void {
  const header = config?.description;
  if (codec !== 'h264' || !config || !header) return;
  const bytes = ArrayBuffer.isView(header)
    ? Uint8Array.from(new Uint8Array(header.buffer, header.byteOffset, header.byteLength))
    : new Uint8Array(header.slice(0));
  if (bytes[LEVEL_PLACE] === 9) bytes[LEVEL_PLACE] = 11;
  config.description = bytes;
}
