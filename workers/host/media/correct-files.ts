/** Corrections of files that the browser and mediabunny produce. */
import type { VideoCodec } from '#core/host';

/** The Matroska elements `TargetTypeValue` (50) and `TargetType` (`MOVIE`). */
const TARGET_TYPE = [0x68, 0xca, 0x81, 0x32, 0x63, 0xca, 0x85, ...new TextEncoder().encode('MOVIE')];
/** A Matroska `Void` element of the same length as `TargetType`. */
const VOID = [0xec, 0x86];

/**
 * Replaces the element `TargetType` by an empty one. Without that element, the tags still belong to the complete file.
 * With it ffmpeg would name the tag PROMPT `MOVIE/PROMPT`, and ComfyUI would not find the graph. The tags precede the
 * video.
 */
export function removeTargetType(file: Uint8Array): void {
  for (let at = 0; at < file.length - TARGET_TYPE.length; at++) {
    if (TARGET_TYPE.some((byte, index) => file[at + index] !== byte)) continue;
    file.set(VOID, at + 4);
    return;
  }
}

/** Index of the level in the header of H.264. */
const LEVEL_INDEX = 3;
const LEVEL_1B = 9;
const LEVEL_1_1 = 11;

/** Replaces level 1b by 1.1. Browsers choose 1b for small videos of few frames a second, and refuse to decode it. */
export function avoidLevel1b(codec: VideoCodec, config: VideoDecoderConfig | undefined): void {
  const header = config?.description;
  if (codec !== 'h264' || !config || !header) return;
  const bytes = ArrayBuffer.isView(header)
    ? Uint8Array.from(new Uint8Array(header.buffer, header.byteOffset, header.byteLength))
    : new Uint8Array(header.slice(0));
  if (bytes[LEVEL_INDEX] === LEVEL_1B) bytes[LEVEL_INDEX] = LEVEL_1_1;
  config.description = bytes;
}
