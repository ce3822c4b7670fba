import { GrowingArray } from './growing-array.ts';

/** One closed surface while it is made. */
export class SurfaceBuilder {
  readonly #points = new GrowingArray(Float32Array);
  readonly #triangles = new GrowingArray(Uint32Array);
  readonly #half: number;

  /** The longest of the grid's sides becomes -1 to 1; all begin at -1. */
  constructor(sides: readonly [number, number, number]) {
    this.#half = Math.max(...sides) / 2;
  }

  /** A point in cells of the grid, from its first corner. Gives its place. */
  addPoint(x: number, y: number, z: number): number {
    this.#points.push(x / this.#half - 1, y / this.#half - 1, z / this.#half - 1);
    return this.#points.length / 3 - 1;
  }

  /** Two triangles, counter-clockwise as seen from outside. */
  addSquare(a: number, b: number, c: number, d: number): void {
    this.#triangles.push(a, b, c, a, c, d);
  }

  get vertices(): Float32Array {
    return this.#points.data;
  }

  get faces(): Uint32Array {
    return this.#triangles.data;
  }
}

/** A field of [depth, height, width] numbers, row-major; outside of it there is nothing. */
export interface VoxelGrid {
  readonly sides: readonly [depth: number, height: number, width: number];
  readonly data: Float32Array;
}
