import type { Steps } from '../yielding/steps.ts';
import { SurfaceBuilder, type VoxelGrid } from './surface-builder.ts';

/** The corners of a cell as x, y, z bits of a number, and the pairs of them that an edge joins. */
const EDGES = [1, 2, 4].flatMap((axis) =>
  [0, 1, 2, 3, 4, 5, 6, 7].flatMap((corner) => ((corner & axis) === 0 ? [[corner, corner | axis]] : [])),
) as [number, number][];

/**
 * A smooth surface where the field crosses the threshold: a point in each cell between eight voxels that it runs through, in the
 * middle of where it cuts the cell's edges, and a square around each edge that it cuts (Gibson, "Constrained elastic surface
 * nets", 1998, without the relaxation; known as naive surface nets). Closed everywhere: around the field lies nothing.
 */
export function* surfaceNet(field: VoxelGrid, threshold: number): Steps<SurfaceBuilder> {
  const [depth, height, width] = field.sides;
  const surface = new SurfaceBuilder(field.sides);
  // Below any threshold, so that a shape ends where the field does.
  const nothing = threshold >= 0 ? 0 : threshold - 1;
  const value = (x: number, y: number, z: number) =>
    x < 0 || y < 0 || z < 0 || x >= width || y >= height || z >= depth
      ? nothing
      : field.data[(z * height + y) * width + x]!;
  // Cell (x, y, z) lies between the voxels there and the next ones; the first is at -1. One layer each of where there is something,
  // with a rim of nothing, and of the places of points.
  const row = width + 2;
  let lower = new Uint8Array(row * (height + 2));
  let upper = new Uint8Array(lower.length);
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
        layer[at] = pointIn(surface, corners, threshold, [x, y, z]);
        // The three edges that begin at this cell's first corner, each with the four cells around it.
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

/** 1 for each voxel of a layer above the threshold, behind a rim of 0; a layer outside of the field has none. */
function markInside(marks: Uint8Array, { sides, data }: VoxelGrid, z: number, threshold: number): void {
  const [depth, height, width] = sides;
  marks.fill(0);
  if (z >= depth) return;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (data[(z * height + y) * width + x]! > threshold) marks[(y + 1) * (width + 2) + x + 1] = 1;
}

/** Its place. The surface runs through the cell. */
function pointIn(
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
  // The middle of a voxel is half a cell from its corner.
  return surface.addPoint(cellX + 0.5 + x / cuts, cellY + 0.5 + y / cuts, cellZ + 0.5 + z / cuts);
}
