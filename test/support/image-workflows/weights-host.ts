import { afterAll } from 'vitest';
import { graphsOf } from '#core/image-workflows/models/graphs/graph-registry.ts';
import { onnxHost } from '../host/onnx-host.ts';
import type { TestHost } from '../host/test-host.ts';

/**
 * A host with an ONNX engine, for the tests of a file. Its open graphs and its files are removed after the last one.
 * @param place as for `onnxHost`
 */
export async function weightsHost(...place: Parameters<typeof onnxHost>): Promise<TestHost> {
  const { host, remove } = await onnxHost(...place);
  afterAll(async () => {
    await graphsOf(host).unload();
    await remove();
  });
  return host;
}
