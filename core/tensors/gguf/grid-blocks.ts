/** The numbers of GGUF's IQ1, IQ2 and IQ3 formats: rows of a grid, with signs or an offset, and scales. */
import type { Decode } from './decode.ts';
import { evenSigns, type GridName, gridOf } from './grids.ts';
import { halfAt, halfFloat } from './half.ts';

/** Bytes and integers of one block, by their place in it. */
class Block {
  constructor(
    private readonly view: DataView,
    private readonly at: number,
  ) {}

  byte(place: number): number {
    return this.view.getUint8(this.at + place);
  }

  word(place: number): number {
    return this.view.getUint16(this.at + place, true);
  }

  long(place: number): number {
    return this.view.getUint32(this.at + place, true);
  }

  half(place: number): number {
    return halfAt(this.view, this.at + place);
  }

  /** 4 bits: the lower ones of a byte come first. */
  nibble(place: number, index: number): number {
    return (this.byte(place + (index >> 1)) >> (4 * (index & 1))) & 15;
  }
}

/** A format whose 256 numbers lie in groups of 8. */
interface SignedFormat {
  grid: GridName;
  /** The row of the grid with this part of the block. */
  row: (block: Block, part: number) => number;
  /** The signs of a group, one bit each. */
  signs: (block: Block, group: number) => number;
  scale: (block: Block, group: number) => number;
}

const signed =
  ({ grid, row, signs, scale }: SignedFormat): Decode =>
  (view, at, into, to) => {
    const block = new Block(view, at);
    const { width, numbers } = gridOf(grid);
    for (let i = 0; i < 256; i++) {
      const group = i >> 3;
      const number = numbers[width * row(block, Math.floor(i / width)) + (i % width)]!;
      into[to + i] = ((signs(block, group) >> (i & 7)) & 1 ? -1 : 1) * scale(block, group) * number;
    }
  };

/** Seven bits of a 32-bit integer for each group of 8; the upper four bits are the scale of the four groups. */
const signsInLong = (start: number, size: number) => (block: Block, group: number) =>
  evenSigns((block.long(start + size * (group >> 2)) >>> (7 * (group & 3))) & 127);

/** A scale for each 16 numbers. */
const scaleOf16 = (start: number) => (block: Block, group: number) =>
  block.half(0) * (0.5 + block.nibble(start, group >> 1)) * 0.25;

/** A format with rows of -1, 0, 1, to which an eighth is added or from which it is subtracted. */
interface OffsetFormat {
  /** The upper three bits of the row's index, and a fourth bit for a negative offset. */
  upper: (block: Block, group: number) => number;
  /** The place of the lower eight bits. */
  lower: number;
  scale: (block: Block, group: number) => number;
}

const offset =
  ({ upper, lower, scale }: OffsetFormat): Decode =>
  (view, at, into, to) => {
    const block = new Block(view, at);
    const { numbers } = gridOf('IQ1_S');
    for (let group = 0; group < 32; group++) {
      const high = upper(block, group);
      const row = 8 * (block.byte(lower + group) | ((high & 7) << 8));
      const added = high & 8 ? -0.125 : 0.125;
      for (let i = 0; i < 8; i++)
        into[to + 8 * group + i] = scale(block, group) * (numbers[row + i]! + added);
    }
  };

/** The scale of an IQ1_M block lies in the upper 4 bits of four integers. */
const scattered = (block: Block): number =>
  halfFloat([0, 1, 2, 3].reduce((bits, part) => bits | ((block.word(48 + 2 * part) >> 12) << (4 * part)), 0));

export const decodeIQ2_XXS = signed({
  grid: 'IQ2_XXS',
  row: (block, part) => block.byte(2 + 8 * (part >> 2) + (part & 3)),
  signs: signsInLong(6, 8),
  scale: (block, group) => block.half(0) * (0.5 + (block.long(6 + 8 * (group >> 2)) >>> 28)) * 0.25,
});

export const decodeIQ2_XS = signed({
  grid: 'IQ2_XS',
  row: (block, part) => block.word(2 + 2 * part) & 511,
  signs: (block, group) => evenSigns(block.word(2 + 2 * group) >> 9),
  scale: scaleOf16(66),
});

export const decodeIQ2_S = signed({
  grid: 'IQ2_S',
  row: (block, part) =>
    block.byte(2 + part) | (((block.byte(66 + (part >> 2)) >> (2 * (part & 3))) & 3) << 8),
  signs: (block, group) => block.byte(34 + group),
  scale: scaleOf16(74),
});

export const decodeIQ3_XXS = signed({
  grid: 'IQ3_XXS',
  row: (block, part) => block.byte(2 + part),
  signs: signsInLong(66, 4),
  scale: (block, group) => block.half(0) * (0.5 + (block.long(66 + 4 * (group >> 2)) >>> 28)) * 0.5,
});

export const decodeIQ3_S = signed({
  grid: 'IQ3_S',
  row: (block, part) => block.byte(2 + part) | (((block.byte(66 + (part >> 3)) >> (part & 7)) & 1) << 8),
  signs: (block, group) => block.byte(74 + group),
  scale: (block, group) => block.half(0) * (1 + 2 * block.nibble(106, group >> 2)),
});

export const decodeIQ1_S = offset({
  lower: 2,
  upper: (block, group) => {
    const word = block.word(34 + 2 * (group >> 2));
    return ((word >> (3 * (group & 3))) & 7) | ((word >> 15) << 3);
  },
  scale: (block, group) => block.half(0) * (2 * ((block.word(34 + 2 * (group >> 2)) >> 12) & 7) + 1),
});

export const decodeIQ1_M = offset({
  lower: 0,
  upper: (block, group) => block.nibble(32, group),
  scale: (block, group) =>
    scattered(block) * (2 * ((block.word(48 + 2 * (group >> 3)) >> (3 * ((group >> 1) & 3))) & 7) + 1),
});
