import { beforeAll, describe, expect, test } from 'vitest';
import { OutOfMemory } from '#core/host';
import { GraphBuilder } from '#core/tensors';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { expectedNetworks, networkFile } from '#test/upscalers/expected-networks.ts';
import { StoredFiles } from '../../files/stored-files.ts';
import { nodeTypes } from '../../nodes/index.ts';
import type { NodeContext } from '../../nodes/kernel/node-context.ts';
import { encodeSafetensors } from '../../nodes/latent/safetensors.ts';
import type { UpscaleModel } from '../../values/image-models.ts';
import { type FloatTensor, full, tensorOf, zeros } from '../../values/tensor.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { loadUpscaleModel, upscaleModelNames } from './upscale-model.ts';

const host = await weightsHost('here');
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
  await host.files.write('models/upscale_models/x2.onnx', repeatingGraph(2));
  await host.files.write('models/upscale_models/junk.onnx', new TextEncoder().encode('junk'));
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

/** A file of weights in the folder of upscale models. */
const write = (name: string, bytes: Uint8Array) => host.files.write(`models/upscale_models/${name}`, bytes);
const shapes = (...entries: [string, number[]][]) =>
  encodeSafetensors(Object.fromEntries(entries.map(([name, shape]) => [name, zeros(shape)])), {});

test('lists graphs and files of weights', async () => {
  for (const name of ['a.pth', 'b.SAFETENSORS', 'c.pt', 'd.bin', 'e.pkl'])
    await write(name, Uint8Array.of(1));
  const names = await upscaleModelNames(new StoredFiles(host));
  expect(names).toEqual(expect.arrayContaining(['a.pth', 'b.SAFETENSORS', 'c.pt', 'd.bin', 'x2.onnx']));
  expect(names).not.toContain('e.pkl');
});

test('enlarges images with a file of weights, in tiles and with mirrored edges', async () => {
  const network = (await expectedNetworks())['Real-ESRGAN x2']!;
  await write('real.safetensors', networkFile(network));
  const [model] = (await node('UpscaleModelLoader').run({ model_name: 'real.safetensors' }, context())) as [
    UpscaleModel,
  ];
  const image = tensorOf([1, 9, 523, 3], new Float32Array(14_121).fill(0.5));
  progress.length = 0;
  const [larger] = (await node('ImageUpscaleWithModel').run({ upscale_model: model, image }, context())) as [
    FloatTensor,
  ];
  expect(larger.shape).toEqual([1, 18, 1046, 3]);
  expect(progress.at(-1)).toEqual([2, 2]);
  // Far from the edges, an even image stays even.
  const middle = (9 * 1046 + 523) * 3;
  for (const at of [-120, 0, 120]) expect(larger.data[middle + at]).toBeCloseTo(larger.data[middle]!, 4);
});

describe('rejects', () => {
  const rejection = (name: string) => expect(loadUpscaleModel(host, name, signal)).rejects;

  test('missing and damaged files', async () => {
    await rejection('none.onnx').toThrow('there is no models/upscale_models/none.onnx');
    await rejection('none.pth').toThrow('there is no file models/upscale_models/none.pth');
    await rejection('junk.onnx').toThrow();
    const file = networkFile((await expectedNetworks())['ESRGAN x4']!);
    await write('short.safetensors', file.subarray(0, file.length - 9));
    await rejection('short.safetensors').toThrow(/short.safetensors cannot be read/);
  });

  test('missing weights, also those of a whole block', async () => {
    const network = (await expectedNetworks())['Real-ESRGAN x4']!;
    const without = (...starts: string[]) =>
      networkFile(network, (weights) => {
        for (const name of [...weights.keys()])
          if (starts.some((start) => name.startsWith(start))) weights.delete(name);
      });
    await write('layer.safetensors', without('conv_hr.weight'));
    await rejection('layer.safetensors').toThrow(
      'layer.safetensors looks like ESRGAN, but there is no tensor conv_hr.weight',
    );
    await write('bias.safetensors', without('body.1.rdb2.conv3.bias'));
    await rejection('bias.safetensors').toThrow('there is no tensor body.1.rdb2.conv3.bias');
    await write('up.safetensors', without('conv_up1'));
    await rejection('up.safetensors').toThrow(
      '2 of its tensors have no place in this network: conv_up2.weight, conv_up2.bias',
    );
  });

  test('networks for other colours', async () => {
    const network = (await expectedNetworks())['compact x2']!;
    const gray = networkFile(network, (weights) => weights.set('body.0.weight', zeros([8, 1, 3, 3])));
    await write('gray.safetensors', gray);
    await rejection('gray.safetensors').toThrow('it takes 1 channels and makes 3');
  });

  test('weights of other networks', async () => {
    await write('other.safetensors', shapes(['head.0.weight', [8, 3, 3, 3]], ['tail.weight', [3, 8, 3, 3]]));
    await rejection('other.safetensors').toThrow(
      /other.safetensors holds no upscale network that is known here: its 2 tensors begin with head.0.weight, tail.weight. Known are ESRGAN, Real-ESRGAN compact/,
    );
    const part = shapes(['conv_1.sk.weight', [8, 3, 1, 1]], ['conv_cat.weight', [8, 32, 1, 1]]);
    await write('part.safetensors', part);
    await rejection('part.safetensors').toThrow(
      'The nearest kind is SPAN: it lacks block_1.c1_r.sk.weight, upsampler.0.weight',
    );
    const scunet = shapes(['m_head.0.weight', [8, 3, 3, 3]], ['m_tail.0.weight', [3, 8, 3, 3]]);
    await write('scunet.safetensors', scunet);
    await rejection('scunet.safetensors').toThrow(
      'scunet.safetensors is SCUNet, which cannot be used here: it repairs images of the same size',
    );
    await write('empty.safetensors', shapes());
    await rejection('empty.safetensors').toThrow(/no upscale network that is known here: it has no tensors/);
  });
});

test('refuses a file that changed after it was loaded', async () => {
  const networks = await expectedNetworks();
  await write('changing.safetensors', networkFile(networks['compact x2']!));
  const model = await loadUpscaleModel(host, 'changing.safetensors', signal);
  await write('changing.safetensors', networkFile(networks['compact x4']!));
  await expect(model.upscale(full([1, 4, 4, 3], 0.5), signal)).rejects.toThrow(/run the loader again/);
});
