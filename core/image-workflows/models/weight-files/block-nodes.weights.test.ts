/** Nodes over GGUF's blocks in onnxruntime, compared with the Python package gguf. */
import { expect, test } from 'vitest';
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import { BLOCKS } from '#test/support/model-files/gguf-blocks.ts';
import { graphsOf } from '../graphs/graph-registry.ts';

const never = new AbortController().signal;

test.each(['here', 'processes'] as const)('all formats, %s', { timeout: 120_000 }, async (where) => {
  const { host, remove } = await onnxHost(where);
  const path = 'm/blocks.gguf';
  const weights = new Map<string, StoredTensor>();
  let end = 0;
  for (const { type, bytes, numbers } of BLOCKS) {
    const place = { start: end, end: end + bytes.length };
    const tensor = { file: 'blocks.gguf', type, shape: [2, numbers.length / 2], ...place };
    weights.set(type, tensor);
    end += bytes.length;
  }
  await host.files.write(path, new Uint8Array(BLOCKS.flatMap(({ bytes }) => [...bytes])));
  const graph = graphsOf(host).built(path, async () => {
    const builder = new GraphBuilder(weights);
    const outputs = [...weights.keys()].flatMap((type) => {
      const rows = builder.node('Gather', [builder.externalInitializer(type), 'row'], { axis: 0 });
      builder.node('Identity', [builder.externalFloats(type)], {}, `${type} all`);
      builder.node('Identity', [builder.storedFloats(type, rows)], {}, `${type} row`);
      const shape = [2, weights.get(type)!.shape[1]!];
      return [
        { name: `${type} all`, type: 'float32' as const, shape },
        { name: `${type} row`, type: 'float32' as const, shape: [1, shape[1]!] },
      ];
    });
    const bytes = builder.buildModel([{ name: 'row', type: 'int64', shape: [1] }], outputs);
    return [
      { role: 'weights', name: 'model.onnx', size: bytes.length, bytes },
      { role: 'part', name: 'blocks.gguf', size: end, path, used: end },
    ];
  });
  const session = await graph.session(never);
  const row = { type: 'int64' as const, shape: [1], data: BigInt64Array.of(1n) };
  const found = await session.run({ row }, never);
  for (const { type, numbers } of BLOCKS) {
    const all = found[`${type} all`]!.data as Float32Array;
    const second = found[`${type} row`]!.data as Float32Array;
    const near = (a: number, b: number) => Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b));
    expect(
      numbers.findIndex((number, at) => !near(all[at]!, number)),
      type,
    ).toBe(-1);
    expect([...second], type).toEqual([...all.subarray(all.length / 2)]);
  }
  await graphsOf(host).unload();
  await remove();
});
