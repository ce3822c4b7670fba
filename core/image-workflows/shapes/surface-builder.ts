import { GrowingArray } from './growing-array.ts';

/** Collects the points and triangles of a surface. */
export class SurfaceBuilder {
  readonly #points = new GrowingArray(Float32Array);
  readonly #triangles = new GrowingArray(Uint32Array);
  readonly #half: number;

  /** Coordinates begin at -1. The longest side of the grid ends at 1. */
  constructor(sides: readonly [number, number, number]) {
    this.#half = Math.max(...sides) / 2;
  }

  /** Adds a point, in voxels from the first corner of the grid. Returns its index. */
  addPoint(x: number, y: number, z: number): number {
    this.#points.push(x / this.#half - 1, y / this.#half - 1, z / this.#half - 1);
    return this.#points.length / 3 - 1;
  }

  /** Adds two triangles. The points are counter-clockwise as seen from outside. */
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

/** Numbers [depth, height, width] in row-major order. The space outside of the grid is empty. */
export interface VoxelGrid {
  readonly sides: readonly [depth: number, height: number, width: number];
  readonly data: Float32Array;
}
