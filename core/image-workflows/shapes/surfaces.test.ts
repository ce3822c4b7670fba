import { expect, it } from 'vitest';
import { runToEnd } from '../yielding/steps.ts';
import { writeGlb } from './glb.ts';
import { GrowingArray } from './growing-array.ts';
import { surfaceNet } from './surface-net.ts';
import { voxelCubes } from './voxel-cubes.ts';

it('gives each solid voxel a cube, without the sides between two cubes', () => {
  const cubes = (...data: number[]) => {
    const grid = { sides: [1, 1, data.length] as const, data: Float32Array.from(data) };
    const { vertices, faces } = runToEnd(voxelCubes(grid, 0.5));
    return { triangles: faces.length / 3, xs: [...new Set(vertices.filter((_, at) => at % 3 === 0))].sort() };
  };
  expect(cubes(1)).toEqual({ triangles: 12, xs: [-1, 1] });
  expect(cubes(1, 1)).toEqual({ triangles: 20, xs: [-1, 0, 1] });
  expect(cubes(1, 0.5)).toEqual({ triangles: 12, xs: [-1, 0] });
  expect(cubes(0, 0)).toEqual({ triangles: 0, xs: [] });
});

it.each([
  [0.25, 0.5],
  [0.1, 0.6],
])('puts the points of a surface net where the values reach the threshold %f', (threshold, expected) => {
  const grid = { sides: [1, 1, 1] as const, data: Float32Array.of(1) };
  const { vertices, faces } = runToEnd(surfaceNet(grid, threshold));
  expect([vertices.length / 3, faces.length / 3]).toEqual([8, 12]);
  // A point is the mean of three crossings, each (1 - threshold) voxels from the center. Two units are one voxel.
  const center = vertices.reduce((sum, value) => sum + value, 0) / vertices.length;
  for (const value of vertices) expect(Math.abs(value - center)).toBeCloseTo(expected, 6);
});

it('grows arrays beyond their first capacity', () => {
  const numbers = new GrowingArray(Uint32Array);
  for (let at = 0; at < 3000; at += 3) numbers.push(at, at + 1, at + 2);
  expect(numbers).toHaveLength(3000);
  expect(numbers.data).toEqual(Uint32Array.from({ length: 3000 }, (_, at) => at));
});

it('writes the bounds of the points and the sizes of both chunks to a GLB file', () => {
  const vertices = Float32Array.of(0, -2, 0, 1, 0, 5, 0, 1, 0);
  const file = writeGlb({ vertices, faces: Uint32Array.of(0, 1, 2) }, { prompt: 'ä' });
  const view = new DataView(file.buffer);
  const jsonLength = view.getUint32(12, true);
  const document = JSON.parse(new TextDecoder().decode(file.subarray(20, 20 + jsonLength)));
  expect(document.asset.extras).toEqual({ prompt: 'ä' });
  expect(document.accessors[0]).toMatchObject({ count: 3, min: [0, -2, 0], max: [1, 1, 5] });
  expect(view.getUint32(8, true)).toBe(file.length);
  expect(jsonLength % 4).toBe(0);
  expect(view.getUint32(20 + jsonLength, true)).toBe(36 + 12);
  expect(view.getFloat32(28 + jsonLength + 4, true)).toBe(-2);
});
