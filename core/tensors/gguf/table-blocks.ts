/** The numbers of GGUF's formats of 4 bits that name a number of a table, and of its ternary formats. */
import type { Decode } from './decode.ts';
import { halfAt } from './half.ts';
import { FLOAT4_NUMBERS, IQ4_NUMBERS, MXFP4_SCALES, NVFP4_SCALES, ternaryDigit } from './number-tables.ts';

/** `size` numbers from half as many bytes: the lower halves come first. */
function fromTable(
  numbers: readonly number[],
  size: number,
  scale: number,
  view: DataView,
  at: number,
  into: Float32Array,
  to: number,
): void {
  const half = size / 2;
  for (let i = 0; i < half; i++) {
    const byte = view.getUint8(at + i);
    into[to + i] = scale * numbers[byte & 15]!;
    into[to + half + i] = scale * numbers[byte >> 4]!;
  }
}

export const decodeIQ4_NL: Decode = (view, at, into, to) =>
  fromTable(IQ4_NUMBERS, 32, halfAt(view, at), view, at + 2, into, to);

export const decodeIQ4_XS: Decode = (view, at, into, to) => {
  const upper = view.getUint16(at + 2, true);
  for (let group = 0; group < 8; group++) {
    const low = (view.getUint8(at + 4 + (group >> 1)) >> (4 * (group & 1))) & 15;
    const scale = low + 16 * ((upper >> (2 * group)) & 3) - 32;
    fromTable(IQ4_NUMBERS, 32, halfAt(view, at) * scale, view, at + 8 + 16 * group, into, to + 32 * group);
  }
};

export const decodeMXFP4: Decode = (view, at, into, to) =>
  fromTable(FLOAT4_NUMBERS, 32, MXFP4_SCALES[view.getUint8(at)]!, view, at + 1, into, to);

export const decodeNVFP4: Decode = (view, at, into, to) => {
  for (let group = 0; group < 4; group++) {
    const scale = NVFP4_SCALES[view.getUint8(at + group)]!;
    fromTable(FLOAT4_NUMBERS, 16, scale, view, at + 4 + 8 * group, into, to + 16 * group);
  }
};

/** Runs of bytes with their first place in the block, and how many digits of each byte count. */
const TERNARY = [
  { start: 0, bytes: 32, digits: 5 },
  { start: 32, bytes: 16, digits: 5 },
  { start: 48, bytes: 4, digits: 4 },
] as const;

export const decodeTQ1_0: Decode = (view, at, into, to) => {
  const scale = halfAt(view, at + 52);
  let next = to;
  for (const { start, bytes, digits } of TERNARY)
    for (let digit = 0; digit < digits; digit++)
      for (let i = 0; i < bytes; i++)
        into[next++] = scale * ternaryDigit(view.getUint8(at + start + i), digit);
};

export const decodeTQ2_0: Decode = (view, at, into, to) => {
  const scale = halfAt(view, at + 64);
  for (let i = 0; i < 256; i++) {
    const bits = view.getUint8(at + 32 * (i >> 7) + (i & 31)) >> (2 * ((i >> 5) & 3));
    into[to + i] = scale * ((bits & 3) - 1);
  }
};
