/** Random changes of an input: of bits, numbers, words, pieces and repetitions. */
import { concatBytes } from '#core/base';
import type { Random } from './random.ts';

export interface MutationSource {
  random: Random;
  words: readonly Uint8Array[];
  /** Other inputs, whose pieces are inserted. */
  corpus: readonly Uint8Array[];
  maxBytes: number;
}

/** Numbers at the limits of integer types. */
const LIMITS = [
  0,
  1,
  2,
  7,
  8,
  15,
  16,
  32,
  63,
  64,
  100,
  127,
  128,
  255,
  256,
  512,
  1000,
  1024,
  4096,
  32767,
  32768,
  65535,
  65536,
  2 ** 24,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
];
const NUMBER_TEXTS = [
  '0',
  '-1',
  '1',
  '255',
  '65536',
  '4294967296',
  '1e999',
  '-0',
  '1e-7',
  '9007199254740993',
];
const MAX_REPETITIONS = 200;

/** A changed copy of at most `maxBytes`. */
export function mutate(input: Uint8Array, source: MutationSource): Uint8Array<ArrayBuffer> {
  let bytes = input.slice();
  const changes = 1 << source.random.below(5);
  for (let i = 0; i < changes; i++) {
    bytes = source.random.pick(CHANGES)(bytes, source);
    if (bytes.length > source.maxBytes) bytes = bytes.slice(0, source.maxBytes);
  }
  return bytes;
}

type Change = (bytes: Uint8Array<ArrayBuffer>, source: MutationSource) => Uint8Array<ArrayBuffer>;

const CHANGES: Change[] = [
  (bytes, { random }) => inPlace(bytes, random, 1, (at) => (bytes[at]! ^= 1 << random.below(8))),
  (bytes, { random }) => inPlace(bytes, random, 1, (at) => (bytes[at] = random.below(256))),
  (bytes, { random }) => inPlace(bytes, random, 1, (at) => (bytes[at]! += random.below(71) - 35)),
  (bytes, { random }) => {
    const size = random.pick([1, 2, 4, 8]);
    return inPlace(bytes, random, size, (at) => {
      const view = new DataView(bytes.buffer, bytes.byteOffset);
      const value = random.pick(LIMITS) + (random.below(4) === 0 ? random.below(5) - 2 : 0);
      const isLittle = random.below(2) === 0;
      if (size === 1) view.setUint8(at, value);
      else if (size === 2) view.setUint16(at, value, isLittle);
      else if (size === 4) view.setUint32(at, value, isLittle);
      else view.setBigInt64(at, random.below(8) === 0 ? -1n : BigInt(value), isLittle);
    });
  },
  (bytes, { random }) => {
    const [from, to] = range(bytes, random);
    return splice(bytes, from, to, new Uint8Array());
  },
  (bytes, { random }) => splice(bytes, random.below(bytes.length + 1), undefined, piece(bytes, random)),
  (bytes, { random }) => {
    const [from, to] = range(bytes, random);
    return splice(bytes, from, to, piece(bytes, random));
  },
  (bytes, { random, corpus }) => {
    const [from, to] = range(bytes, random);
    return splice(bytes, from, random.below(2) ? to : from, piece(random.pick(corpus), random));
  },
  (bytes, { random, words }) =>
    splice(bytes, random.below(bytes.length + 1), undefined, words.length ? random.pick(words) : undefined),
  (bytes, { random, words }) => {
    const word = words.length ? random.pick(words) : new Uint8Array(1);
    const at = random.below(bytes.length + 1);
    return splice(bytes, at, Math.min(bytes.length, at + word.length), word);
  },
  // Repeats a piece, as deep nesting and long lists need it.
  (bytes, { random, maxBytes }) => {
    const part = piece(bytes, random).subarray(0, 16);
    const count = Math.min(random.below(MAX_REPETITIONS), Math.floor(maxBytes / Math.max(1, part.length)));
    return splice(bytes, random.below(bytes.length + 1), undefined, concatBytes(Array(count).fill(part)));
  },
  (bytes, { random }) => {
    const digits = [...bytes.keys()].filter((at) => bytes[at]! >= 0x30 && bytes[at]! <= 0x39);
    if (digits.length === 0) return bytes;
    const at = random.pick(digits);
    return splice(bytes, at, at + 1, new TextEncoder().encode(random.pick(NUMBER_TEXTS)));
  },
];

function inPlace(
  bytes: Uint8Array<ArrayBuffer>,
  random: Random,
  size: number,
  change: (at: number) => unknown,
): Uint8Array<ArrayBuffer> {
  if (bytes.length >= size) change(random.below(bytes.length - size + 1));
  return bytes;
}

/** A range of an input. Short ones are frequent. */
function range(bytes: Uint8Array, random: Random): [from: number, to: number] {
  const from = random.below(bytes.length + 1);
  const longest = Math.min(bytes.length - from, 1 << random.below(10));
  return [from, from + random.below(longest + 1)];
}

const piece = (bytes: Uint8Array, random: Random): Uint8Array => bytes.slice(...range(bytes, random));

function splice(
  bytes: Uint8Array,
  from: number,
  to = from,
  middle: Uint8Array = new Uint8Array(),
): Uint8Array<ArrayBuffer> {
  return concatBytes([bytes.subarray(0, from), middle, bytes.subarray(to)]);
}
