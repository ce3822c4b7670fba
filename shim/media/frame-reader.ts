import type { DecodedFrame } from '#core/host';

const HEADER = /^P6\n(\d+) (\d+)\n255\n/;
/** Longer is no header. */
const LONGEST = 64;

/** Pictures out of a stream of PPM ones (`P6`), each of which says how large it is. Pieces may end anywhere. */
export function frameReader(take: (frame: DecodedFrame) => void): (piece: Uint8Array) => void {
  let head = '';
  let frame: { width: number; height: number; data: Uint8Array; filled: number } | undefined;
  return (piece) => {
    for (let at = 0; at < piece.length; ) {
      if (!frame) {
        head += String.fromCharCode(piece[at++]!);
        const found = HEADER.exec(head);
        if (!found && head.length > LONGEST) throw new Error('ffmpeg gave no pictures');
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
