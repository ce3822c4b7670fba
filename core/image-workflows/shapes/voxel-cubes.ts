import type { Steps } from '../yielding/steps.ts';
import { SurfaceBuilder, type VoxelGrid } from './surface-builder.ts';

/** The six sides of a cube as x, y, z: the neighbor, and the corners counter-clockwise as seen from that neighbor. */
const SIDES = [
  { to: [1, 0, 0], corners: ['100', '110', '111', '101'] },
  { to: [-1, 0, 0], corners: ['000', '001', '011', '010'] },
  { to: [0, 1, 0], corners: ['010', '011', '111', '110'] },
  { to: [0, -1, 0], corners: ['000', '100', '101', '001'] },
  { to: [0, 0, 1], corners: ['001', '101', '111', '011'] },
  { to: [0, 0, -1], corners: ['000', '010', '110', '100'] },
].map(({ to, corners }) => ({
  to: to as [number, number, number],
  corners: corners.map((each) => [...each].map(Number) as [number, number, number]),
}));

/** A surface with a cube for each voxel above the threshold. Omits the sides between two cubes. */
export function* voxelCubes({ sides, data }: VoxelGrid, threshold: number): Steps<SurfaceBuilder> {
  const [depth, height, width] = sides;
  const surface = new SurfaceBuilder(sides);
  const isSolid = (x: number, y: number, z: number) =>
    x >= 0 &&
    y >= 0 &&
    z >= 0 &&
    x < width &&
    y < height &&
    z < depth &&
    data[(z * height + y) * width + x]! > threshold;
  for (let z = 0; z < depth; z++) {
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        if (!isSolid(x, y, z)) continue;
        for (const { to, corners } of SIDES) {
          if (isSolid(x + to[0], y + to[1], z + to[2])) continue;
          const [a, b, c, d] = corners.map((at) => surface.addPoint(x + at[0], y + at[1], z + at[2]));
          surface.addSquare(a!, b!, c!, d!);
        }
      }
      yield;
    }
  }
  return surface;
}
