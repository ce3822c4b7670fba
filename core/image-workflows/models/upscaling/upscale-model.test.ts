import { afterAll, beforeAll, expect, test } from 'vitest';
import { OutOfMemory } from '#core/host';
import { GraphBuilder } from '#core/tensors';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import type { TestHost } from '#test/support/host/test-host.ts';
import { nodeTypes } from '../../nodes/index.ts';
import type { NodeContext } from '../../nodes/kernel/node-context.ts';
import type { UpscaleModel } from '../../values/image-models.ts';
import { type FloatTensor, full, tensorOf, zeros } from '../../values/tensor.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { loadUpscaleModel } from './upscale-model.ts';

let host: TestHost;
let remove: () => Promise<void>;
const { signal } = new AbortController();
const progress: [number, number][] = [];
const context = () =>
  ({
    host,
    signal,
    progress: async (...values: [number, number]) => void progress.push(values),
  }) as unknown as NodeContext;

/** A graph that repeats each pixel `side` x `side` times. */
function repeatingGraph(side: number): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder(new Map());
  const tiled = graph.node('Tile', ['image', graph.int64Initializer([1, side * side, 1, 1])]);
  graph.node('DepthToSpace', [tiled], { blocksize: side }, 'larger');
  const floats = (name: string, shape: (string | number)[]) => ({ name, type: 'float32' as const, shape });
  return graph.buildModel(
    [floats('image', ['batch', 3, 'height', 'width'])],
    [floats('larger', ['batch', 3, 'tall', 'wide'])],
  );
}

beforeAll(async () => {
  ({ host, remove } = await onnxHost('here'));
  await host.files.write('models/upscale_models/x2.onnx', repeatingGraph(2));
  await host.files.write('models/upscale_models/junk.onnx', new TextEncoder().encode('junk'));
});
afterAll(async () => {
  await graphsOf(host).unload();
  await remove();
});

const node = (name: string) => nodeTypes.find((type) => type.name === name)!;

test('enlarges images tile by tile', async () => {
  const [model] = (await node('UpscaleModelLoader').run({ model_name: 'x2.onnx' }, context())) as [
    UpscaleModel,
  ];
  expect(model.scale).toBe(2);
  const image = tensorOf(
    [1, 40, 600, 3],
    Float32Array.from({ length: 72_000 }, (_, at) => (at % 97) / 96),
  );
  const [result] = (await node('ImageUpscaleWithModel').run({ upscale_model: model, image }, context())) as [
    FloatTensor,
  ];
  expect(result.shape).toEqual([1, 80, 1200, 3]);
  expect(progress).toEqual([
    [1, 2],
    [2, 2],
  ]);
  for (let at = 0; at < result.data.length; at += 101) {
    const [y, x, channel] = [Math.floor(at / 3600), Math.floor(at / 3) % 1200, at % 3];
    const source = image.data[((y >> 1) * 600 + (x >> 1)) * 3 + channel]!;
    expect(Math.abs(result.data[at]! - source)).toBeLessThan(1e-5);
  }
  await graphsOf(host).unload();
  expect((await model.upscale(zeros([1, 2, 2, 3]), signal)).shape).toEqual([1, 4, 4, 3]);
});

test('retries with smaller tiles when memory runs out', async () => {
  const sizes: number[] = [];
  const model: UpscaleModel = {
    scale: 1,
    async upscale(pixels) {
      sizes.push(pixels.shape[1]!);
      if (pixels.shape[1]! > 128) throw new OutOfMemory('too large');
      return pixels;
    },
  };
  const run = (side: number) =>
    node('ImageUpscaleWithModel').run(
      { upscale_model: model, image: full([1, side, side, 3], 0.5) },
      context(),
    );
  const [result] = (await run(200)) as [FloatTensor];
  expect(sizes.slice(0, 3)).toEqual([200, 200, 128]);
  expect(result.data.every((value) => Math.abs(value - 0.5) < 1e-6)).toBe(true);
});

test('rejects files that are no upscale models', async () => {
  await expect(loadUpscaleModel(host, 'x4.pth', signal)).rejects.toThrow(
    /x4.pth is no ONNX graph. Convert it/,
  );
  await expect(loadUpscaleModel(host, 'none.onnx', signal)).rejects.toThrow(
    'there is no models/upscale_models/none.onnx',
  );
  await expect(loadUpscaleModel(host, 'junk.onnx', signal)).rejects.toThrow();
});
