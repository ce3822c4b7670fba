import type { Steps } from '../yielding/steps.ts';
import { SurfaceBuilder, type VoxelGrid } from './surface-builder.ts';

/** The edges of a cell as pairs of corners. A corner's bits 0, 1 and 2 are its x, y and z. */
const EDGES = [1, 2, 4].flatMap((axis) =>
  [0, 1, 2, 3, 4, 5, 6, 7].flatMap((corner) => ((corner & axis) === 0 ? [[corner, corner | axis]] : [])),
) as [number, number][];

/**
 * A smooth surface where the voxels cross the threshold, by naive surface nets (Gibson, "Constrained elastic surface
 * nets", 1998, without the relaxation). Each cell between eight voxels that the surface crosses gets a point: the mean of
 * its intersections with the cell's edges. Each crossed edge gets a square. The surface is closed, also at the borders.
 */
export function* surfaceNet(field: VoxelGrid, threshold: number): Steps<SurfaceBuilder> {
  const [depth, height, width] = field.sides;
  const surface = new SurfaceBuilder(field.sides);
  // The value outside of the grid is below the threshold, so that the surface closes at the borders.
  const outside = threshold >= 0 ? 0 : threshold - 1;
  const value = (x: number, y: number, z: number) =>
    x < 0 || y < 0 || z < 0 || x >= width || y >= height || z >= depth
      ? outside
      : field.data[(z * height + y) * width + x]!;
  // A cell lies between the voxel of the same coordinates and the next ones. The first coordinate is -1.
  const row = width + 2;
  // Two layers of voxels with a border of 0. The value of an inner voxel is 1.
  let lower = new Uint8Array(row * (height + 2));
  let upper = new Uint8Array(lower.length);
  // The points of the cells in two layers.
  let below = new Int32Array(lower.length);
  let layer = new Int32Array(lower.length);
  const corners = new Float32Array(8);
  for (let z = -1; z < depth; z++) {
    markInside(upper, field, z + 1, threshold);
    for (let y = -1; y < height; y++) {
      for (let x = -1; x < width; x++) {
        const at = (y + 1) * row + x + 1;
        const inside =
          lower[at]! +
          lower[at + 1]! +
          lower[at + row]! +
          lower[at + row + 1]! +
          upper[at]! +
          upper[at + 1]! +
          upper[at + row]! +
          upper[at + row + 1]!;
        if (inside === 0 || inside === 8) continue;
        for (let corner = 0; corner < 8; corner++)
          corners[corner] = value(x + (corner & 1), y + ((corner >> 1) & 1), z + (corner >> 2));
        layer[at] = addCellPoint(surface, corners, threshold, [x, y, z]);
        // The three edges that begin at this cell's first corner, with the points of the four cells around each.
        const isInside = lower[at] === 1;
        const square = (a: number, b: number, c: number, d: number) =>
          isInside ? surface.addSquare(a, b, c, d) : surface.addSquare(d, c, b, a);
        if (lower[at] !== lower[at + 1]) square(below[at - row]!, below[at]!, layer[at]!, layer[at - row]!);
        if (lower[at] !== lower[at + row]) square(below[at - 1]!, layer[at - 1]!, layer[at]!, below[at]!);
        if (lower[at] !== upper[at])
          square(layer[at - row - 1]!, layer[at - row]!, layer[at]!, layer[at - 1]!);
      }
      yield;
    }
    [below, layer] = [layer, below];
    [lower, upper] = [upper, lower];
  }
  return surface;
}

/** Marks the voxels of a layer above the threshold with 1, within a border of 0. A layer outside of the grid has none. */
function markInside(marks: Uint8Array, { sides, data }: VoxelGrid, z: number, threshold: number): void {
  const [depth, height, width] = sides;
  marks.fill(0);
  if (z >= depth) return;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (data[(z * height + y) * width + x]! > threshold) marks[(y + 1) * (width + 2) + x + 1] = 1;
}

/** Adds the point of a cell that the surface crosses. Returns its index. */
function addCellPoint(
  surface: SurfaceBuilder,
  corners: Float32Array,
  threshold: number,
  [cellX, cellY, cellZ]: readonly [number, number, number],
): number {
  let [x, y, z, cuts] = [0, 0, 0, 0];
  for (const [from, to] of EDGES) {
    const [start, end] = [corners[from]!, corners[to]!];
    if (start > threshold === end > threshold) continue;
    const way = (threshold - start) / (end - start);
    const axis = to - from;
    x += (from & 1) + (axis === 1 ? way : 0);
    y += ((from >> 1) & 1) + (axis === 2 ? way : 0);
    z += (from >> 2) + (axis === 4 ? way : 0);
    cuts++;
  }
  // Cells lie between the centers of voxels, which are half a voxel from their corners.
  return surface.addPoint(cellX + 0.5 + x / cuts, cellY + 0.5 + y / cuts, cellZ + 0.5 + z / cuts);
}
