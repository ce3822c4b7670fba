import { expect, it } from 'vitest';
import { tensorOf } from '../values/tensor.ts';
import { meshFromSurfaces, surfacesOfMesh, voxelGrids } from './mesh.ts';

const triangle = { vertices: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), faces: Uint32Array.of(0, 1, 2) };
const square = {
  vertices: Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0),
  faces: Uint32Array.of(0, 1, 2, 0, 2, 3),
};

it('repeats the last point and triangle of shorter surfaces, and removes the repeats again', () => {
  const mesh = meshFromSurfaces([triangle, square]);
  expect([mesh.vertices.shape, mesh.faces.shape]).toEqual([
    [2, 4, 3],
    [2, 2, 3],
  ]);
  expect([...mesh.vertices.data.subarray(9, 12)]).toEqual([0, 1, 0]);
  expect([...mesh.faces.data.subarray(3, 6)]).toEqual([0, 1, 2]);
  expect(surfacesOfMesh(mesh)).toEqual([triangle, square]);
});

it('keeps repeated points that a triangle names', () => {
  const vertices = tensorOf([1, 3, 3], new Float32Array(9));
  const faces = { shape: [1, 1, 3], data: Uint32Array.of(0, 1, 2) };
  expect(surfacesOfMesh({ vertices, faces })[0]!.vertices).toHaveLength(9);
});

it('refuses meshes without triangles, with unknown points and with infinite coordinates', () => {
  const { vertices, faces } = meshFromSurfaces([triangle]);
  const noFaces = { shape: [1, 0, 3], data: new Uint32Array(0) };
  expect(() => surfacesOfMesh({ vertices, faces: noFaces })).toThrow('with at least one triangle');
  const beyond = { ...faces, data: Uint32Array.of(0, 1, 3) };
  expect(() => surfacesOfMesh({ vertices, faces: beyond })).toThrow(
    'a triangle of this mesh names point 3, and there are 3',
  );
  const infinite = tensorOf([1, 3, 3], new Float32Array(9).fill(Number.POSITIVE_INFINITY));
  expect(() => surfacesOfMesh({ vertices: infinite, faces })).toThrow('is not a finite number');
});

it('splits voxels into a grid for each of the batch, and refuses other shapes', () => {
  const data = tensorOf(
    [2, 1, 2, 3],
    Float32Array.from({ length: 12 }, (_, at) => at),
  );
  const grids = voxelGrids({ data });
  expect(grids.map(({ sides }) => sides)).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
  expect([...grids[1]!.data]).toEqual([6, 7, 8, 9, 10, 11]);
  expect(() => voxelGrids({ data: tensorOf([1, 2, 3], new Float32Array(6)) })).toThrow('a VOXEL is');
  const notFinite = tensorOf([1, 1, 1, 1], Float32Array.of(Number.NaN));
  expect(() => voxelGrids({ data: notFinite })).toThrow('not finite');
});
