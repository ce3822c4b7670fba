import { createRequire } from 'node:module';
import { describe, expect, it, test } from 'vitest';
import { fileContext } from '#test/support/image-workflows/node-context.ts';
import type { Mesh, Voxels } from '../../values/media.ts';
import { tensorOf } from '../../values/tensor.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { meshNodes } from './meshes.ts';

interface Report {
  issues: { numErrors: number; numWarnings: number; messages: { message: string }[] };
  info: { totalTriangleCount: number; totalVertexCount: number };
}
/** The glTF validator of Khronos. */
const { validateBytes } = createRequire(import.meta.url)('gltf-validator') as {
  validateBytes(bytes: Uint8Array): Promise<Report>;
};

const { files, context } = fileContext({}, { progress: async () => {} });
const run = (name: string, values: Record<string, unknown>, more: Partial<NodeContext> = {}) =>
  meshNodes.find((type) => type.name === name)!.run(values, { ...context, ...more });

/** Voxels with a function of the center of each voxel, -1 to 1 along each side. */
function voxels(size: number, value: (x: number, y: number, z: number) => number, batch = 1): Voxels {
  const middle = (index: number) => ((index + 0.5) / size) * 2 - 1;
  const shape = Float32Array.from({ length: size ** 3 }, (_, at) =>
    value(middle(at % size), middle(Math.floor(at / size) % size), middle(Math.floor(at / size / size))),
  );
  const data = new Float32Array(batch * shape.length);
  for (let i = 0; i < batch; i++) data.set(shape, i * shape.length);
  return { data: tensorOf([batch, size, size, size], data) };
}
const meshOf = async (voxel: Voxels, algorithm = 'surface net', threshold = 0.6) =>
  ((await run('VoxelToMesh', { voxel, algorithm, threshold })) as [Mesh])[0];

/**
 * The volume and center of a mesh, as sums over its triangles, and the number of open edges. The volume is negative when
 * the triangles have the wrong orientation.
 */
function measure({ vertices, faces }: Mesh) {
  const point = (index: number) => vertices.data.subarray(index * 3, index * 3 + 3) as unknown as number[];
  let volume = 0;
  const middle = [0, 0, 0];
  // In a closed surface each edge of a triangle occurs once in each direction.
  const open = new Map<string, number>();
  for (let at = 0; at < faces.data.length; at += 3) {
    const corners = [...faces.data.subarray(at, at + 3)] as [number, number, number];
    const [a, b, c] = corners.map(point) as [number[], number[], number[]];
    const part =
      (a[0]! * (b[1]! * c[2]! - b[2]! * c[1]!) +
        a[1]! * (b[2]! * c[0]! - b[0]! * c[2]!) +
        a[2]! * (b[0]! * c[1]! - b[1]! * c[0]!)) /
      6;
    volume += part;
    for (const axis of [0, 1, 2]) middle[axis]! += (part * (a[axis]! + b[axis]! + c[axis]!)) / 4;
    for (const [from, to] of [
      [a, b],
      [b, c],
      [c, a],
    ] as [number[], number[]][]) {
      const [way, back] = [`${[...from]}>${[...to]}`, `${[...to]}>${[...from]}`];
      if (open.get(back)) open.set(back, open.get(back)! - 1);
      else open.set(way, (open.get(way) ?? 0) + 1);
    }
  }
  return {
    volume,
    middle: middle.map((sum) => sum / volume),
    open: [...open.values()].reduce((sum, count) => sum + count, 0),
  };
}

const ball = (radius: number) => (x: number, y: number, z: number) =>
  Math.min(1, Math.max(0, 0.6 + (radius - Math.hypot(x, y, z)) * 2));

describe('VoxelToMesh', () => {
  it('creates a cube for a voxel', async () => {
    const [mesh] = (await run('VoxelToMeshBasic', { voxel: voxels(1, () => 1), threshold: 0.6 })) as [Mesh];
    expect([mesh.vertices.shape, mesh.faces.shape]).toEqual([
      [1, 24, 3],
      [1, 12, 3],
    ]);
    expect([Math.min(...mesh.vertices.data), Math.max(...mesh.vertices.data)]).toEqual([-1, 1]);
    expect(measure(mesh)).toMatchObject({ volume: 8, open: 0 });
  });
  it('omits the sides between two cubes, and keeps their position', async () => {
    // Two adjacent voxels of 2 x 2 x 2, at the end of z and the start of y.
    const two = voxels(2, (x, y) => (y < 0 && x > -1 ? 1 : 0));
    const data = two.data.data.slice();
    data.fill(0, 0, 4);
    const mesh = await meshOf({ data: tensorOf([1, 2, 2, 2], data) }, 'basic');
    expect(mesh.faces.shape).toEqual([1, 20, 3]);
    const { volume, open, middle } = measure(mesh);
    expect([volume, open]).toEqual([2, 0]);
    for (const [axis, index] of [0, -0.5, 0.5].entries()) expect(middle[axis]).toBeCloseTo(index, 6);
  });
  it('creates a smooth ball with the right volume and center, and no hole', async () => {
    const mesh = await meshOf(voxels(24, ball(0.7)));
    const { volume, middle, open } = measure(mesh);
    const ratio = volume / ((4 / 3) * Math.PI * 0.7 ** 3);
    expect(ratio).toBeGreaterThan(0.97);
    expect(ratio).toBeLessThan(1);
    for (const each of middle) expect(each).toBeCloseTo(0, 5);
    expect(open).toBe(0);
    const radii = Array.from({ length: mesh.vertices.shape[1]! }, (_, at) =>
      Math.hypot(...mesh.vertices.data.subarray(at * 3, at * 3 + 3)),
    );
    // All points are within a tenth of a voxel.
    expect(Math.max(...radii.map((radius) => Math.abs(radius - 0.7)))).toBeLessThan(0.1 * (2 / 24));
  });
  it.each([0.6, 0, -0.5])('closes a shape at the border of the voxels (%d)', async (threshold) => {
    const { volume, open } = measure(
      await meshOf(
        voxels(6, () => 1),
        'surface net',
        threshold,
      ),
    );
    expect(open).toBe(0);
    expect(volume).toBeGreaterThan(5);
  });
  it('joins surfaces of different lengths to a batch', async () => {
    const small = voxels(4, ball(0.5));
    const large = voxels(4, ball(0.8));
    const both = new Float32Array(128);
    both.set(small.data.data);
    both.set(large.data.data, 64);
    const mesh = await meshOf({ data: tensorOf([2, 4, 4, 4], both) }, 'basic');
    const alone = await meshOf(large, 'basic');
    expect(mesh.faces.shape).toEqual([2, alone.faces.shape[1], 3]);
    const { ui } = (await run('SaveGLB', { mesh, filename_prefix: 'two' })) as { ui: { '3d': unknown[] } };
    expect(ui['3d']).toHaveLength(2);
    const first = await validateBytes(await files.read('output/two_00001_.glb'));
    const second = await validateBytes(await files.read('output/two_00002_.glb'));
    expect(first.info.totalTriangleCount).toBe((await meshOf(small, 'basic')).faces.shape[1]);
    expect(second.info.totalTriangleCount).toBe(alone.faces.shape[1]);
  });
  it.each(['basic', 'surface net'])(
    'reports that no voxel is above the threshold (%s)',
    async (algorithm) => {
      await expect(
        meshOf(
          voxels(2, () => 0.25),
          algorithm,
        ),
      ).rejects.toThrow('no voxel of shape 1 is above 0.6: the highest is 0.250. Lower the threshold');
    },
  );
  it('refuses values that are no voxels', async () => {
    for (const wrong of [undefined, {}, { data: tensorOf([1, 2, 2], new Float32Array(4)) }])
      await expect(meshOf(wrong as Voxels)).rejects.toThrow('a VOXEL is');
    await expect(meshOf(voxels(1, () => Number.NaN))).rejects.toThrow('not finite');
  });
  it('ends with the signal', async () => {
    const controller = new AbortController();
    const work = run(
      'VoxelToMesh',
      { voxel: voxels(160, ball(0.7)), algorithm: 'surface net', threshold: 0.6 },
      { signal: controller.signal },
    );
    setTimeout(() => controller.abort(new Error('stopped')), 30);
    await expect(work).rejects.toThrow('stopped');
  });
});

describe('SaveGLB', () => {
  it('writes valid files, with the graph in their metadata', async () => {
    const mesh = await meshOf(voxels(8, ball(0.7)));
    expect(await run('SaveGLB', { mesh, filename_prefix: 'mesh/x' })).toEqual({
      ui: { '3d': [{ filename: 'x_00001_.glb', subfolder: 'mesh', type: 'output' }] },
    });
    const bytes = await files.read('output/mesh/x_00001_.glb');
    const report = await validateBytes(bytes);
    expect(report.issues.messages).toEqual([]);
    expect(report.info).toMatchObject({
      totalTriangleCount: mesh.faces.shape[1],
      totalVertexCount: mesh.vertices.shape[1],
    });
    const length = new DataView(bytes.buffer).getUint32(12, true);
    const { asset } = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + length)));
    expect(asset).toEqual({
      version: '2.0',
      generator: 'tabd',
      extras: { prompt: '{"1": {"class_type": "X"}}', workflow: '{"nodes": []}' },
    });
  });
  it('writes no metadata when the server saves none', async () => {
    const mesh = await meshOf(
      voxels(2, () => 1),
      'basic',
    );
    await run('SaveGLB', { mesh, filename_prefix: 'bare' }, { promptJson: undefined, extraTexts: {} });
    const bytes = await files.read('output/bare_00001_.glb');
    expect(new TextDecoder().decode(bytes)).not.toContain('extras');
    expect((await validateBytes(bytes)).issues.messages).toEqual([]);
  });
  test.each([
    [
      'a MESH is',
      { vertices: tensorOf([1, 0, 3], new Float32Array(0)), faces: { shape: [1, 0, 3], data: [] } },
    ],
    ['a MESH is', {}],
    ['names point 7, and there are 3', triangle([0, 1, 7])],
    ['not a finite number', triangle([0, 1, 2], Number.NaN)],
  ])('refuses an invalid mesh: %s', async (message, mesh) => {
    await expect(run('SaveGLB', { mesh, filename_prefix: 'no' })).rejects.toThrow(message);
  });
});

function triangle(corners: number[], first = 0) {
  return {
    vertices: tensorOf([1, 3, 3], Float32Array.of(first, 0, 0, 1, 0, 0, 0, 1, 0)),
    faces: { shape: [1, 1, 3], data: Uint32Array.from(corners) },
  };
}
