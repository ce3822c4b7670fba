/** Changed weights of 16 bits in a graph that converts them, in the real runtime. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Host } from '#core/host';
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import type { TestHost } from '#test/support/host/test-host.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import { linear } from '../layers/linear.ts';
import { NetworkModule } from '../layers/network-module.ts';
import { graphsOf } from './graph-registry.ts';

const never = new AbortController().signal;
const PATH = 'models/changed/data';
/** Less than the distance between 1 and the next number of 16 bits. */
const SMALL = 2 ** -15;
let host: TestHost;
let remove: () => Promise<void>;

beforeAll(async () => {
  ({ host, remove } = await onnxHost());
});
afterAll(() => remove());

/** `layer(x)` with weights of ones. */
function layerOf(machine: Host, type: string): ModelGraph {
  const weight: StoredTensor = { file: 'data', type, shape: [2, 2], start: 0, end: 8 };
  const builder = new GraphBuilder(new Map([['layer.weight', weight]]));
  builder.node('Identity', [linear(new NetworkModule(builder).at('layer'), 'x')], {}, 'y');
  const bytes = builder.buildModel(
    [{ name: 'x', type: 'float32', shape: [1, 2] }],
    [{ name: 'y', type: 'float32', shape: [1, 2] }],
  );
  return graphsOf(machine).built(`${PATH} ${type}`, async () => [
    { role: 'weights', name: 'model.onnx', size: bytes.length, bytes },
    { role: 'part', name: 'data', size: 8, path: PATH, used: 8 },
  ]);
}

async function answer(graph: ModelGraph): Promise<number[]> {
  const session = await graph.session(never);
  const x = { type: 'float32' as const, shape: [1, 2], data: Float32Array.of(1, 0) };
  const { y } = await session.run({ x }, never);
  return [...(y!.data as Float32Array)];
}

const change = {
  key: 'a little more',
  weights: [
    {
      name: 'layer.weight',
      async change(numbers: Float32Array) {
        numbers[0]! += SMALL;
      },
    },
  ],
};

test.each([
  ['F16', [0x00, 0x3c]],
  ['BF16', [0x80, 0x3f]],
])('%s keeps 32 bits where there is memory for them, and is rounded elsewhere', async (type, ones) => {
  await host.files.write(PATH, Uint8Array.from([...ones, ...ones, ...ones, ...ones]));
  const graph = layerOf(host, type);
  expect(await answer(graph.withChange(change))).toEqual([1 + SMALL, 1]);
  expect(await answer(graph)).toEqual([1, 1]);
  const small = { ...host, machine: { ...host.machine, memoryFree: () => 0 } };
  const rounded = layerOf(small, type);
  expect(await answer(rounded.withChange(change))).toEqual([1, 1]);
  await Promise.all([graph.unload(), rounded.unload()]);
});

test('changed weights keep 32 bits where memory suffices for them alone', async () => {
  await host.files.write(PATH, Uint8Array.from([0, 0x3c, 0, 0x3c, 0, 0x3c, 0, 0x3c]));
  const sizes = (await layerOf(host, 'F16').source.parts()).map(({ size }) => size);
  const free = sizes.reduce((sum, size) => sum + size) + 4 * 4;
  const withMemory = (memory: number): Host => ({
    ...host,
    machine: { ...host.machine, memoryFree: () => memory },
  });
  for (const [memory, expected] of [
    [free, 1 + SMALL],
    [free - 1, 1],
  ] as const) {
    const graph = layerOf(withMemory(memory), 'F16').withChange(change);
    expect(await answer(graph)).toEqual([expected, 1]);
    await graph.unload();
  }
});
