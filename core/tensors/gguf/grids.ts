/**
 * The grids of GGUF's IQ formats: rows of 4 or 8 small numbers that an index in a block names. `grids.json` has them from
 * the Python package gguf of llama.cpp (MIT), by `test/diffusers/scripts/gguf_grids.py`.
 */
import grids from './grids.json' with { type: 'json' };

export type GridName = keyof typeof grids;

/** The rows of a grid, one after the other. */
export interface Grid {
  /** Numbers of a row. */
  readonly width: number;
  readonly numbers: Float32Array<ArrayBuffer>;
}

const unpacked = new Map<GridName, Grid>();

export function gridOf(name: GridName): Grid {
  const existing = unpacked.get(name);
  if (existing) return existing;
  const { values, width, bits, rows } = grids[name];
  const bytes = atob(rows);
  const inByte = 8 / bits;
  const numbers = Float32Array.from({ length: bytes.length * inByte }, (_, at) => {
    const byte = bytes.charCodeAt(Math.floor(at / inByte));
    return values[(byte >> (bits * (at % inByte))) & (2 ** bits - 1)]!;
  });
  const grid = { width, numbers };
  unpacked.set(name, grid);
  return grid;
}

/** Eight signs from seven bits: the eighth makes the number of negative ones even. */
export function evenSigns(bits: number): number {
  let parity = bits ^ (bits >> 4);
  parity ^= parity >> 2;
  parity ^= parity >> 1;
  return bits | ((parity & 1) << 7);
}
