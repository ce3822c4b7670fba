/**
 * The numbers of GGUF's block formats (ggml's `block_q4_0` and so on, https://github.com/ggml-org/ggml). A block holds
 * small integers, and the scales by which they are multiplied.
 */

/** The size of a format's blocks. */
export interface BlockLayout {
  /** Numbers of a block. */
  readonly elements: number;
  readonly bytes: number;
}

/** Writes the numbers of the block at byte `at` into `into` from `to` on. */
type Decode = (view: DataView, at: number, into: Float32Array, to: number) => void;

const half = (view: DataView, at: number): number => {
  const bits = view.getUint16(at, true);
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
};

/** 32 numbers: the lower halves of the bytes come first. `bits` has a fifth bit for each number. */
function nibbles([scale, start, bits, quants]: readonly [
  scale: number,
  start: number,
  bits: number | undefined,
  quants: number,
]): Decode {
  return (view, at, into, to) => {
    const d = half(view, at);
    const m = start < 0 ? 0 : half(view, at + start);
    const high = bits === undefined ? 0 : view.getUint32(at + bits, true);
    for (let i = 0; i < 32; i++) {
      const byte = view.getUint8(at + quants + (i % 16));
      const q = (i < 16 ? byte & 15 : byte >> 4) + 16 * ((high >>> i) & 1) - scale;
      into[to + i] = Math.fround(Math.fround(d * q) + m);
    }
  };
}

const decodeQ8_0: Decode = (view, at, into, to) => {
  const d = half(view, at);
  for (let i = 0; i < 32; i++) into[to + i] = d * view.getInt8(at + 2 + i);
};

const decodeQ2_K: Decode = (view, at, into, to) => {
  const [d, m] = [half(view, at + 80), half(view, at + 82)];
  for (let i = 0; i < 256; i++) {
    const scale = view.getUint8(at + (i >> 4));
    const q = (view.getUint8(at + 16 + 32 * (i >> 7) + (i & 31)) >> (2 * ((i >> 5) & 3))) & 3;
    into[to + i] = Math.fround(Math.fround(d * (scale & 15)) * q) - Math.fround(m * (scale >> 4));
  }
};

const decodeQ3_K: Decode = (view, at, into, to) => {
  const d = half(view, at + 108);
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
    const [d, m] = [half(view, at), half(view, at + 2)];
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
  const d = half(view, at + 208);
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
