import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Machine, type NamedGraphFile, recordsSchema } from '#core/host';
import { nodeTensorEngine } from '#shim/engines/onnx/index.ts';
import { DiskFiles } from '#shim/storage/disk-files.ts';
import { inlineTensors } from './inline-tensors.ts';
import { createTestHost, type TestHost } from './test-host.ts';

/** A host that runs the graphs in a folder on disk with onnxruntime, in separate processes or in this one. */
export async function onnxHost(
  where: 'processes' | 'here' = 'processes',
  gpus: Machine['gpus'] = async () => [],
): Promise<{ host: TestHost; home: string; remove(): Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), 'tabd-onnx-'));
  const placeOf = (path: string) => join(home, path);
  const host: TestHost = {
    ...createTestHost({ schema: recordsSchema, clock: 'real' }),
    files: new DiskFiles(home),
    tensorEngine:
      where === 'here'
        ? inlineTensors(async (file, start, end) => {
            const bytes = await readFile(placeOf((file as NamedGraphFile).path));
            return bytes.subarray(start, end);
          })
        : nodeTensorEngine({
            pathOf: () => {
              throw new Error('no blobs here');
            },
            placeOf,
            gpus,
          }),
  };
  return { host, home, remove: () => rm(home, { recursive: true, force: true }) };
}
