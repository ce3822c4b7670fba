/** Nodes that turn voxels into meshes, and save meshes. */

import { writeGlb } from '../../shapes/glb.ts';
import { meshFromSurfaces, surfacesOfMesh, type Triangles, voxelGrids } from '../../shapes/mesh.ts';
import { surfaceNet } from '../../shapes/surface-net.ts';
import { voxelCubes } from '../../shapes/voxel-cubes.ts';
import type { Mesh, Voxels } from '../../values/media.ts';
import { runYielding } from '../../yielding/steps.ts';
import { METADATA_INPUTS } from '../kernel/common-inputs.ts';
import { choice, float, link, string } from '../kernel/inputs.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { saveFiles } from '../kernel/save-files.ts';

const shared = { category: '3d', module: 'comfy_extras.nodes_hunyuan3d' } as const;
const threshold = () => float({ default: 0.6, min: -1.0, max: 1.0, step: 0.01 });
const ALGORITHMS = { 'surface net': surfaceNet, basic: voxelCubes } as const;

async function meshVoxels(
  voxel: Voxels,
  algorithm: keyof typeof ALGORITHMS,
  limit: number,
  context: NodeContext,
): Promise<Mesh> {
  const grids = voxelGrids(voxel);
  const surfaces: Triangles[] = [];
  for (const [index, grid] of grids.entries()) {
    await context.progress(index, grids.length);
    const { vertices, faces } = await runYielding(ALGORITHMS[algorithm](grid, limit), context.signal);
    if (faces.length === 0) {
      const highest = grid.data.reduce((max, value) => Math.max(max, value), Number.NEGATIVE_INFINITY);
      throw new Error(
        `no voxel of shape ${index + 1} is above ${limit}: the highest is ${highest.toFixed(3)}. Lower the threshold`,
      );
    }
    surfaces.push({ vertices, faces });
  }
  return meshFromSurfaces(surfaces);
}

const voxelToMeshBasic = node({
  ...shared,
  name: 'VoxelToMeshBasic',
  displayName: 'VoxelToMeshBasic',
  description: 'Creates a mesh with a cube for each voxel above the threshold.',
  inputs: { voxel: link('VOXEL', undefined), threshold: threshold() },
  outputs: [output('MESH')],
  run: async ({ voxel, threshold }, context) => [await meshVoxels(voxel, 'basic', threshold, context)],
});

const voxelToMesh = node({
  ...shared,
  name: 'VoxelToMesh',
  displayName: 'VoxelToMesh',
  description: 'Creates a mesh of the surface where voxels cross the threshold: smooth, or of cubes.',
  inputs: {
    voxel: link('VOXEL', undefined),
    algorithm: choice(['surface net', 'basic']),
    threshold: threshold(),
  },
  outputs: [output('MESH')],
  run: async ({ voxel, algorithm, threshold }, context) => [
    await meshVoxels(voxel, algorithm, threshold, context),
  ],
});

const saveGlb = node({
  ...shared,
  name: 'SaveGLB',
  displayName: 'SaveGLB',
  description: 'Saves meshes as binary glTF files in the output folder, with the graph in their metadata.',
  isOutput: true,
  inputs: { mesh: link('MESH', undefined), filename_prefix: string({ default: 'mesh/ComfyUI' }) },
  hidden: METADATA_INPUTS,
  outputs: [],
  async run({ mesh, filename_prefix }, context) {
    const surfaces = surfacesOfMesh(mesh);
    const target = await context.files.target(filename_prefix, 'output');
    const saved = await saveFiles(surfaces.length, [target, 'output', 'glb'], context, (index, texts) =>
      writeGlb(surfaces[index]!, texts),
    );
    return { ui: { '3d': saved } };
  },
});

export const meshNodes: AnyNode[] = [voxelToMeshBasic, voxelToMesh, saveGlb];
