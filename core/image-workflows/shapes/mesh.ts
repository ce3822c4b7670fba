import type { Mesh, Voxels } from '../values/media.ts';
import { elementCount, tensorOf } from '../values/tensor.ts';
import type { VoxelGrid } from './surface-builder.ts';

/** The voxel grids of a batch. Custom nodes may output anything: throws a `TypeError` for a value that is no VOXEL. */
export function voxelGrids(voxels: Voxels): VoxelGrid[] {
  const { shape, data } = voxels?.data ?? {};
  if (shape?.length !== 4 || !(data instanceof Float32Array) || elementCount(shape) !== data.length)
    throw new TypeError('a VOXEL is { data: { shape: [batch, depth, height, width], data: Float32Array } }');
  if (!data.every(Number.isFinite)) throw new TypeError('these voxels hold numbers that are not finite');
  const [batch, ...sides] = shape as [number, number, number, number];
  const size = elementCount(sides);
  return Array.from({ length: batch }, (_, index) => ({
    sides,
    data: data.subarray(index * size, (index + 1) * size),
  }));
}

/** A mesh of several surfaces. Shorter surfaces repeat their last point and triangle, which does not change their shape. */
export function meshFromSurfaces(surfaces: readonly Triangles[]): Mesh {
  const points = Math.max(...surfaces.map(({ vertices }) => vertices.length));
  const corners = Math.max(...surfaces.map(({ faces }) => faces.length));
  const vertices = new Float32Array(surfaces.length * points);
  const faces = new Uint32Array(surfaces.length * corners);
  for (const [index, surface] of surfaces.entries()) {
    fillTriples(vertices.subarray(index * points, (index + 1) * points), surface.vertices);
    fillTriples(faces.subarray(index * corners, (index + 1) * corners), surface.faces);
  }
  return {
    vertices: tensorOf([surfaces.length, points / 3, 3], vertices),
    faces: { shape: [surfaces.length, corners / 3, 3], data: faces },
  };
}

/** Copies triples to `target`, and repeats the last one up to its end. */
function fillTriples<A extends Float32Array | Uint32Array>(target: A, triples: A): void {
  target.set(triples);
  for (let at = triples.length; at < target.length; at++) target[at] = target[at - 3]!;
}

/** One surface of a mesh: coordinates in triples, and triangles as triples of point indices. */
export interface Triangles {
  readonly vertices: Float32Array;
  readonly faces: Uint32Array;
}

/**
 * The surfaces of a batch without repeated points and triangles at their ends. Custom nodes may output anything: throws a
 * `TypeError` or `RangeError` for a value that is no mesh.
 */
export function surfacesOfMesh({ vertices, faces }: Mesh): Triangles[] {
  const [batch = 0, points = 0] = vertices?.shape ?? [];
  const [same = 0, triangles = 0] = faces?.shape ?? [];
  const isMesh =
    batch > 0 &&
    batch === same &&
    vertices.data.length === batch * points * 3 &&
    faces.data.length === batch * triangles * 3;
  if (!isMesh || points === 0 || triangles === 0)
    throw new TypeError(
      'a MESH is { vertices: { shape: [batch, points, 3], data: Float32Array }, faces: { shape: [batch, triangles, 3], data: Uint32Array } } with at least one triangle',
    );
  return Array.from({ length: batch }, (_, index) => {
    const surface = {
      vertices: Float32Array.from(vertices.data.subarray(index * points * 3, (index + 1) * points * 3)),
      faces: Uint32Array.from(faces.data.subarray(index * triangles * 3, (index + 1) * triangles * 3)),
    };
    if (!surface.vertices.every(Number.isFinite))
      throw new TypeError('a coordinate of this mesh is not a finite number');
    const last = surface.faces.reduce((max, point) => Math.max(max, point), 0);
    if (last >= points)
      throw new RangeError(`a triangle of this mesh names point ${last}, and there are ${points}`);
    return { vertices: trimRepeats(surface.vertices, last + 1), faces: trimRepeats(surface.faces, 1) };
  });
}

/** Removes repeated triples at the end. At least `minimum` triples stay. */
function trimRepeats<A extends Float32Array | Uint32Array>(triples: A, minimum: number): A {
  let end = triples.length;
  const isRepeated = () => [1, 2, 3].every((back) => triples[end - back] === triples[end - 3 - back]);
  while (end > minimum * 3 && isRepeated()) end -= 3;
  return triples.subarray(0, end) as A;
}
