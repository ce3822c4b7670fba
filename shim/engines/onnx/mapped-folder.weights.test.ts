import { mkdir, mkdtemp, open, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GraphFile, TensorEngine } from '#core/host';
import { GraphBuilder } from '#core/tensors';
import { createTestHost } from '#test/support/host/test-host.ts';
import { DiskFiles } from '../../storage/disk-files.ts';
import { ForeignFolder } from '../../storage/foreign-folder.ts';
import { MountedFiles } from '../../storage/mounted-files.ts';
import { nodeTensorEngine } from './index.ts';

/** Bytes. Most of the file takes no place on the disk. */
const SIZE = 2 ** 30;
const START = SIZE - 12;
const never = new AbortController().signal;

let place: string;
let engine: TensorEngine;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'tabd-mapped-'));
  await mkdir(join(place, 'ui/plain'), { recursive: true });
  await mkdir(join(place, 'ui/links'));
  await mkdir(join(place, 'store'));
  for (const path of ['ui/plain/w.safetensors', 'store/blob']) {
    const file = await open(join(place, path), 'w');
    await file.write(new Uint8Array(Float32Array.of(1, 2, 3).buffer), 0, 12, START);
    await file.close();
  }
  await symlink('../../store/blob', join(place, 'ui/links/w.safetensors'));
  await symlink(join(place, 'ui/plain'), join(place, 'ui/folder'));
  const mounts = new Map([['ui', new ForeignFolder(join(place, 'ui'), createTestHost().log)]]);
  const files = new MountedFiles(new DiskFiles(join(place, 'home')), mounts);
  engine = nodeTensorEngine({
    pathOf: () => {
      throw new Error('no blobs here');
    },
    placeOf: (path) => files.pathOf(path),
  });
});
afterAll(() => rm(place, { recursive: true, force: true }));

/** A graph that adds the last three numbers of the weights to its input. */
function graph(): Uint8Array<ArrayBuffer> {
  const weights = { file: 'w.safetensors', type: 'F32', shape: [3], start: START, end: SIZE };
  const builder = new GraphBuilder(new Map([['w', weights]]));
  builder.node('Add', ['x', builder.externalInitializer('w')], {}, 'y');
  return builder.buildModel(
    [{ name: 'x', type: 'float32', shape: [3] }],
    [{ name: 'y', type: 'float32', shape: [3] }],
  );
}

test.each([
  ['in a folder', 'plain'],
  ['in a linked folder', 'folder'],
  ['behind a link', 'links'],
])('weights of another program are used in place: %s', async (_, folder) => {
  const bytes = graph();
  const files: GraphFile[] = [
    { role: 'weights', name: 'model.onnx', size: bytes.length, bytes },
    {
      role: 'part',
      name: 'w.safetensors',
      size: SIZE,
      path: `external/ui/${folder}/w.safetensors`,
      used: 12,
    },
  ];
  const session = await engine.open(files, { providers: ['wasm'] }, never);
  try {
    const x = { type: 'float32', shape: [3], data: Float32Array.of(10, 20, 30) } as const;
    const { y } = await session.run({ x }, never);
    expect([...y!.data]).toEqual([11, 22, 33]);
  } finally {
    await session.dispose();
  }
});
