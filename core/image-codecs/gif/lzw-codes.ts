import { ImageUnreadable } from '../pixels.ts';

const MAX_CODE_BITS = 12;
const MAX_CODES = 2 ** MAX_CODE_BITS;

/**
 * Checks the codes of a frame's compressed pixels (GIF89a, appendix F). A code beyond the next new one would refer to
 * itself, and the library would follow it without an end.
 * @param start the position of the frame's code size
 * @throws `ImageUnreadable`
 */
export function checkLzwCodes(bytes: Uint8Array, start: number): void {
  const minBits = bytes[start]!;
  const clear = 2 ** minBits;
  if (minBits < 1 || minBits >= MAX_CODE_BITS) throw damaged();
  let bits = minBits + 1;
  let next = clear + 2;
  let isFirst = true;
  let value = 0;
  let held = 0;
  for (const byte of blockBytes(bytes, start + 1)) {
    value |= byte << held;
    held += 8;
    while (held >= bits) {
      const code = value & (2 ** bits - 1);
      value >>>= bits;
      held -= bits;
      if (code === clear + 1) return;
      if (code === clear) {
        bits = minBits + 1;
        next = clear + 2;
        isFirst = true;
        continue;
      }
      if (isFirst ? code > clear : code > next) throw damaged();
      // A new code consists of two, so the first one after a clear code adds none.
      if (!isFirst && next < MAX_CODES) next++;
      if (next >= 2 ** bits && bits < MAX_CODE_BITS) bits++;
      isFirst = false;
    }
  }
}

/** The bytes of data blocks, up to the empty one. */
function* blockBytes(bytes: Uint8Array, start: number): Generator<number> {
  for (let at = start; bytes[at]; at += bytes[at]! + 1) yield* bytes.subarray(at + 1, at + 1 + bytes[at]!);
}

const damaged = (): ImageUnreadable => new ImageUnreadable('the pixels of the GIF file are damaged');
