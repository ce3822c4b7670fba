/** Weights of files of torch.save in onnxruntime, which reads them where they lie. */
import { readFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { GraphBuilder } from '#core/tensors';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { readWeightFile } from './read-weight-file.ts';

const never = new AbortController().signal;
const cleanups: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

test.each([
  ['archive2', 'processes'],
  ['legacy2', 'processes'],
  ['archive5', 'here'],
  ['legacy4', 'here'],
] as const)('%s.pt in %s', { timeout: 120_000 }, async (name, where) => {
  const { host, remove } = await onnxHost(where);
  cleanups.push(async () => {
    await graphsOf(host).unload();
    await remove();
  });
  const path = 'm/weights.pt';
  await host.files.write(
    path,
    await readFile(new URL(`../../../../test/diffusers/torch/${name}.pt`, import.meta.url)),
  );
  const {
    table,
    parts: [{ size } = { size: 0 }],
  } = await readWeightFile(host.files, path);
  const graph = graphsOf(host).built(path, async () => {
    const builder = new GraphBuilder(table);
    const add = (a: string, b: string) => builder.node('Add', [a, b]);
    const product = builder.node('MatMul', ['x', builder.externalFloats('a.weight')]);
    const first = builder.node('ReduceSum', [builder.externalFloats('half')], { keepdims: 0 });
    const sums = add(product, builder.node('ReduceSum', [builder.externalFloats('brain')], { keepdims: 0 }));
    builder.node('Identity', [sums], {}, 'y');
    builder.node('Identity', [first], {}, 'z');
    const bytes = builder.buildModel(
      [{ name: 'x', type: 'float32', shape: [1, 2] }],
      [
        { name: 'y', type: 'float32', shape: [1, 3] },
        { name: 'z', type: 'float32', shape: [] },
      ],
    );
    return [
      { role: 'weights', name: 'model.onnx', size: bytes.length, bytes },
      { role: 'part', name: 'weights.pt', size, path, used: size },
    ];
  });
  const session = await graph.session(never);
  const outputs = await session.run(
    { x: { type: 'float32', shape: [1, 2], data: Float32Array.of(1, 10) } },
    never,
  );
  // [1, 10] times [[0, 1, 2], [3, 4, 5]], and the sum of 1.5 and 2.
  expect([...(outputs.y!.data as Float32Array)]).toEqual([33.5, 44.5, 55.5]);
  expect([...(outputs.z!.data as Float32Array)]).toEqual([Number.NaN]);
});
