/** The norm with stored weights of few digits, in the real runtime. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GraphBuilder } from '#core/tensors';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import type { TestHost } from '#test/support/host/test-host.ts';
import { NetworkModule } from './network-module.ts';
import { rmsNorm } from './rms-norm.ts';

const never = new AbortController().signal;
let host: TestHost;
let remove: () => Promise<void>;

beforeAll(async () => {
  ({ host, remove } = await onnxHost());
});
afterAll(() => remove());

test.each([
  // 1 + 1/128 as 16 bits. With the offset, bfloat16 has steps of 1/64 and rounds to the even one.
  ['BF16', 0x3f81, 0, 1 + 1 / 128],
  ['BF16', 0x3f81, 1, 2],
  ['BF16', 0x3f83, 1, 2 + 1 / 32],
  ['F16', 0x3c08, 0, 1 + 1 / 128],
  ['F16', 0x3c08, 1, 2 + 1 / 128],
  ['F16', 0x3c01, 1, 2],
])('%s %i with the offset %i', async (type, bits, offset, factor) => {
  const bytes = new Uint8Array(Uint16Array.of(bits, bits).buffer);
  const path = 'models/norm/data';
  await host.files.write(path, bytes);
  const stored = { file: 'data', type, shape: [2], start: 0, end: 4 };
  const builder = new GraphBuilder(new Map([['norm.weight', stored]]));
  const norm = new NetworkModule(builder).at('norm');
  builder.node('Identity', [rmsNorm(norm, 'x', { epsilon: 0, offset })], {}, 'y');
  const graph = builder.buildModel(
    [{ name: 'x', type: 'float32', shape: [1, 2] }],
    [{ name: 'y', type: 'float32', shape: [1, 2] }],
  );
  const session = await host.tensorEngine!.open(
    [
      { role: 'weights', name: 'model.onnx', size: graph.length, bytes: graph },
      { role: 'part', name: 'data', size: 4, path },
    ],
    { providers: ['wasm'] },
    never,
  );
  // The root of the mean of 1 and 49 is 5.
  const x = { type: 'float32' as const, shape: [1, 2], data: Float32Array.of(1, 7) };
  const { y } = await session.run({ x }, never);
  await session.dispose();
  expect([...(y!.data as Float32Array)]).toEqual(
    [0.2 * factor, 1.4 * factor].map((value) => expect.closeTo(value, 5)),
  );
});
