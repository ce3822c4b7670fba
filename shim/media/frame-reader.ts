import type { DecodedFrame } from '#core/host';

const HEADER = /^P6\n(\d+) (\d+)\n255\n/;
/** The length of the longest possible header in bytes. */
const MAX_HEADER = 64;

/** Splits a stream of PPM images (`P6`) into frames. Each image states its size. Pieces may end anywhere. */
export function frameReader(take: (frame: DecodedFrame) => void): (piece: Uint8Array) => void {
  let head = '';
  let frame: { width: number; height: number; data: Uint8Array; filled: number } | undefined;
  return (piece) => {
    for (let at = 0; at < piece.length; ) {
      if (!frame) {
        head += String.fromCharCode(piece[at++]!);
        const found = HEADER.exec(head);
        if (!found && head.length > MAX_HEADER) throw new Error('ffmpeg wrote no images');
        if (!found) continue;
        const [width, height] = [Number(found[1]), Number(found[2])];
        frame = { width, height, data: new Uint8Array(width * height * 3), filled: 0 };
        head = '';
        continue;
      }
      const part = piece.subarray(at, at + frame.data.length - frame.filled);
      frame.data.set(part, frame.filled);
      frame.filled += part.length;
      at += part.length;
      if (frame.filled < frame.data.length) continue;
      const { width, height, data } = frame;
      frame = undefined;
      take({ width, height, channels: 3, data });
    }
  };
}
