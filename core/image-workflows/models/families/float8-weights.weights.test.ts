/** Weights of 8 bits, read by a graph in the real runtime. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import type { TestHost } from '#test/support/host/test-host.ts';
import { linear } from '../layers/linear.ts';
import { NetworkModule } from '../layers/network-module.ts';

const never = new AbortController().signal;
let host: TestHost;
let remove: () => Promise<void>;

beforeAll(async () => {
  ({ host, remove } = await onnxHost());
});
afterAll(() => remove());

/** Computes `layer(x)`, whose weights are these bytes. */
async function compute(bytes: Uint8Array<ArrayBuffer>, weights: Record<string, StoredTensor>, x: number[]) {
  const path = 'models/float8/data';
  await host.files.write(path, bytes);
  const builder = new GraphBuilder(new Map(Object.entries(weights)));
  const root = new NetworkModule(builder);
  builder.node('Identity', [linear(root.at('layer'), 'x')], {}, 'y');
  const [outputs = 0] = root.at('layer').shape();
  const graph = builder.buildModel(
    [{ name: 'x', type: 'float32', shape: [1, x.length] }],
    [{ name: 'y', type: 'float32', shape: [1, outputs] }],
  );
  const session = await host.tensorEngine!.open(
    [
      { role: 'weights', name: 'model.onnx', size: graph.length, bytes: graph },
      { role: 'part', name: 'data', size: bytes.length, path },
    ],
    { providers: ['wasm'] },
    never,
  );
  try {
    const input = { type: 'float32' as const, shape: [1, x.length], data: Float32Array.from(x) };
    const { y } = await session.run({ x: input }, never);
    return Array.from(y!.data as Float32Array);
  } finally {
    await session.dispose();
  }
}

const stored = (type: string, shape: number[], start: number, end: number): StoredTensor => ({
  file: 'data',
  type,
  shape,
  start,
  end,
});

test.each([
  // [[1, -2], [0.5, 448]] and [[1, -2], [0.5, 57344]]
  ['F8_E4M3', [0x38, 0xc0, 0x30, 0x7e], [1 - 4, 0.5 + 896]],
  ['F8_E5M2', [0x3c, 0xc0, 0x38, 0x7b], [1 - 4, 0.5 + 114688]],
])('%s, with and without a scale', async (type, bytes, expected) => {
  const weight = stored(type, [2, 2], 0, 4);
  const file = Uint8Array.from([...bytes, 0, 0, 0, 0x40]);
  expect(await compute(file, { 'layer.weight': weight }, [1, 2])).toEqual(expected);
  for (const name of ['scale_weight', 'weight_scale']) {
    const scale = stored('F32', [1], 4, 8);
    const scaled = await compute(file, { 'layer.weight': weight, [`layer.${name}`]: scale }, [1, 2]);
    expect(scaled).toEqual(expected.map((value) => value * 2));
  }
});
