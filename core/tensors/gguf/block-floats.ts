/**
 * The numbers of GGUF's block formats (ggml's `block_q4_0` and so on, https://github.com/ggml-org/ggml). A block holds
 * small integers, and the scales by which they are multiplied. The integers of some formats name numbers of a table.
 */
import type { Decode } from './decode.ts';
import {
  decodeIQ1_M,
  decodeIQ1_S,
  decodeIQ2_S,
  decodeIQ2_XS,
  decodeIQ2_XXS,
  decodeIQ3_S,
  decodeIQ3_XXS,
} from './grid-blocks.ts';
import { halfAt } from './half.ts';
import {
  decodeIQ4_NL,
  decodeIQ4_XS,
  decodeMXFP4,
  decodeNVFP4,
  decodeTQ1_0,
  decodeTQ2_0,
} from './table-blocks.ts';

/** The size of a format's blocks. */
export interface BlockLayout {
  /** Numbers of a block. */
  readonly elements: number;
  readonly bytes: number;
}

/** 32 numbers: the lower halves of the bytes come first. `bits` has a fifth bit for each number. */
function nibbles([scale, start, bits, quants]: readonly [
  scale: number,
  start: number,
  bits: number | undefined,
  quants: number,
]): Decode {
  return (view, at, into, to) => {
    const d = halfAt(view, at);
    const m = start < 0 ? 0 : halfAt(view, at + start);
    const high = bits === undefined ? 0 : view.getUint32(at + bits, true);
    for (let i = 0; i < 32; i++) {
      const byte = view.getUint8(at + quants + (i % 16));
      const q = (i < 16 ? byte & 15 : byte >> 4) + 16 * ((high >>> i) & 1) - scale;
      into[to + i] = Math.fround(Math.fround(d * q) + m);
    }
  };
}

const decodeQ8_0: Decode = (view, at, into, to) => {
  const d = halfAt(view, at);
  for (let i = 0; i < 32; i++) into[to + i] = d * view.getInt8(at + 2 + i);
};

const decodeQ2_K: Decode = (view, at, into, to) => {
  const [d, m] = [halfAt(view, at + 80), halfAt(view, at + 82)];
  for (let i = 0; i < 256; i++) {
    const scale = view.getUint8(at + (i >> 4));
    const q = (view.getUint8(at + 16 + 32 * (i >> 7) + (i & 31)) >> (2 * ((i >> 5) & 3))) & 3;
    into[to + i] = Math.fround(Math.fround(d * (scale & 15)) * q) - Math.fround(m * (scale >> 4));
  }
};

const decodeQ3_K: Decode = (view, at, into, to) => {
  const d = halfAt(view, at + 108);
  for (let i = 0; i < 256; i++) {
    const group = i >> 4;
    const low = (view.getUint8(at + 96 + (group & 7)) >> (4 * (group >> 3))) & 15;
    const top = (view.getUint8(at + 104 + (group & 3)) >> (2 * (group >> 2))) & 3;
    const q = (view.getUint8(at + 32 + 32 * (i >> 7) + (i & 31)) >> (2 * ((i >> 5) & 3))) & 3;
    const bit = (view.getUint8(at + (i & 31)) >> (i >> 5)) & 1;
    into[to + i] = Math.fround(d * (low + 16 * top - 32)) * (q + 4 * bit - 4);
  }
};

/** The scale and the offset of a group of 32, 6 bits each, from 12 bytes. */
function groupScale(view: DataView, at: number, group: number): [scale: number, offset: number] {
  const byte = (index: number) => view.getUint8(at + index);
  if (group < 4) return [byte(group) & 63, byte(group + 4) & 63];
  return [
    (byte(group + 4) & 15) | ((byte(group - 4) >> 6) << 4),
    (byte(group + 4) >> 4) | ((byte(group) >> 6) << 4),
  ];
}

/** @param high the start of a fifth bit for each number. Undefined: there is none */
const groupsOf32 =
  (quants: number, high?: number): Decode =>
  (view, at, into, to) => {
    const [d, m] = [halfAt(view, at), halfAt(view, at + 2)];
    for (let group = 0; group < 8; group++) {
      const [scale, offset] = groupScale(view, at + 4, group);
      const [factor, base] = [Math.fround(d * scale), Math.fround(m * offset)];
      for (let i = 0; i < 32; i++) {
        const low = (view.getUint8(at + quants + 32 * (group >> 1) + i) >> (4 * (group & 1))) & 15;
        const bit = high === undefined ? 0 : (view.getUint8(at + high + i) >> group) & 1;
        into[to + 32 * group + i] = Math.fround(factor * (low + 16 * bit)) - base;
      }
    }
  };

const decodeQ6_K: Decode = (view, at, into, to) => {
  const d = halfAt(view, at + 208);
  for (let i = 0; i < 256; i++) {
    const [side, part, l] = [i >> 7, (i >> 5) & 3, i & 31];
    const low = (view.getUint8(at + 64 * side + 32 * (part & 1) + l) >> (4 * (part >> 1))) & 15;
    const top = (view.getUint8(at + 128 + 32 * side + l) >> (2 * part)) & 3;
    into[to + i] = Math.fround(d * view.getInt8(at + 192 + (i >> 4))) * ((low | (top << 4)) - 32);
  }
};

const FORMATS: Readonly<Record<string, BlockLayout & { decode: Decode }>> = {
  Q4_0: { elements: 32, bytes: 18, decode: nibbles([8, -1, undefined, 2]) },
  Q4_1: { elements: 32, bytes: 20, decode: nibbles([0, 2, undefined, 4]) },
  Q5_0: { elements: 32, bytes: 22, decode: nibbles([16, -1, 2, 6]) },
  Q5_1: { elements: 32, bytes: 24, decode: nibbles([0, 2, 4, 8]) },
  Q8_0: { elements: 32, bytes: 34, decode: decodeQ8_0 },
  Q2_K: { elements: 256, bytes: 84, decode: decodeQ2_K },
  Q3_K: { elements: 256, bytes: 110, decode: decodeQ3_K },
  Q4_K: { elements: 256, bytes: 144, decode: groupsOf32(16) },
  Q5_K: { elements: 256, bytes: 176, decode: groupsOf32(48, 16) },
  Q6_K: { elements: 256, bytes: 210, decode: decodeQ6_K },
  IQ1_S: { elements: 256, bytes: 50, decode: decodeIQ1_S },
  IQ1_M: { elements: 256, bytes: 56, decode: decodeIQ1_M },
  IQ2_XXS: { elements: 256, bytes: 66, decode: decodeIQ2_XXS },
  IQ2_XS: { elements: 256, bytes: 74, decode: decodeIQ2_XS },
  IQ2_S: { elements: 256, bytes: 82, decode: decodeIQ2_S },
  IQ3_XXS: { elements: 256, bytes: 98, decode: decodeIQ3_XXS },
  IQ3_S: { elements: 256, bytes: 110, decode: decodeIQ3_S },
  IQ4_NL: { elements: 32, bytes: 18, decode: decodeIQ4_NL },
  IQ4_XS: { elements: 256, bytes: 136, decode: decodeIQ4_XS },
  TQ1_0: { elements: 256, bytes: 54, decode: decodeTQ1_0 },
  TQ2_0: { elements: 256, bytes: 66, decode: decodeTQ2_0 },
  MXFP4: { elements: 32, bytes: 17, decode: decodeMXFP4 },
  NVFP4: { elements: 64, bytes: 36, decode: decodeNVFP4 },
};

/** Undefined for a type that is no block format, or that cannot be read. */
export const blockLayout = (type: string): BlockLayout | undefined =>
  Object.hasOwn(FORMATS, type) ? FORMATS[type] : undefined;

/** The numbers of complete blocks. @param type one with a `blockLayout` */
export function blockFloats(bytes: Uint8Array, type: string): Float32Array<ArrayBuffer> {
  const { elements, bytes: size, decode } = FORMATS[type]!;
  const count = Math.floor(bytes.length / size);
  const numbers = new Float32Array(count * elements);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let block = 0; block < count; block++) decode(view, block * size, numbers, block * elements);
  return numbers;
}
