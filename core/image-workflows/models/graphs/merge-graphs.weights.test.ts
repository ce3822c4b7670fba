/** Merges exported graphs of diffusers and transformers with others of their kind. */

import { readdir, readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { GraphBuilder } from '#core/tensors';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { weightsOf, writeWithWeights } from '#test/support/model-files/graph-weights.ts';
import { writeUnet } from '#test/support/model-files/tiny-parts.ts';
import { mergeByBlocks } from '../../nodes/model/merge-by-blocks.ts';
import { mergeModels } from '../../nodes/model/merge-models.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import { applyAdapter } from '../adapters/apply-adapter.ts';
import { readAdapter } from '../adapters/read-adapter.ts';
import { loadNetwork } from '../checkpoints/standalone-parts.ts';
import { textGraph } from '../encoders/text-graph.ts';
import { graphsOf } from './graph-registry.ts';
import { type MergeWeights, mergeGraphs } from './merge-graphs.ts';

const FOLDER = new URL('../../../../test/diffusers/', import.meta.url);
const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const NETWORKS = 'models/diffusion_models';
const ENCODERS = 'models/text_encoders';
const host = await weightsHost('here');

/** The weights of a second model of the same kind: each element changes in its own way. */
const other = (_: string, numbers: Float32Array) =>
  numbers.map((value, i) => value * 0.9 + Math.sin(i) * 0.05);

beforeAll(async () => {
  const { files } = host;
  const copy = async (name: string, folder: string) => {
    for (const file of await readdir(new URL(`${name}/`, FOLDER)))
      await files.write(`${folder}/${name}/${file}`, await readFile(new URL(`${name}/${file}`, FOLDER)));
    await writeWithWeights(files, `${folder}/${name}`, `${folder}/${name}-other`, other);
    const second = await weightsOf(files, `${folder}/${name}-other`);
    await writeWithWeights(files, `${folder}/${name}`, `${folder}/${name}-mean`, (weight, numbers) =>
      numbers.map((value, i) => (value + second.get(weight)![i]!) / 2),
    );
  };
  for (const name of ['unet', 'sd3', 'flux']) await copy(name, NETWORKS);
  await copy('text_encoder', ENCODERS);
  for (const name of ['sd3', 'text_encoder'])
    await files.write(
      `models/loras/${name}.safetensors`,
      await readFile(new URL(`${name}.safetensors`, FOLDER)),
    );
});

const load = (name: string) => loadNetwork(host, name);
const merge = (first: DiffusionModel, second: DiffusionModel, shares: MergeWeights) =>
  mergeModels(first, second, () => () => shares);
const wave = (shape: number[]): FloatTensor => {
  const tensor = zeros(shape);
  for (let i = 0; i < tensor.data.length; i++) tensor.data[i] = Math.cos(i * 0.7);
  return tensor;
};
async function answer(model: DiffusionModel, signal = never): Promise<FloatTensor> {
  const isFlow = model.latent.channels === 16;
  const options = { guidance: 7.5, pooled: wave([1, 5]), sizes: { height: 32, width: 48 } };
  const x = wave([1, model.latent.channels, 6, 4]);
  const prompt = { tensor: wave([1, 5, 6]), options };
  return (await model.network.predict(x, isFlow ? 0.4 : 321, [prompt], signal))[0]!;
}
const distance = (a: FloatTensor, b: FloatTensor) =>
  a.data.reduce((max, value, i) => Math.max(max, Math.abs(value - b.data[i]!)), 0);

describe.each(['sd3', 'flux'])('two models of the kind %s', (name) => {
  test('give one of them at the ratios 0 and 1, and the mean of the weights at 0.5', SLOW, async () => {
    const [first, second] = [await load(name), await load(`${name}-other`)];
    const [firstAnswer, secondAnswer] = [await answer(first), await answer(second)];
    expect(distance(firstAnswer, secondAnswer)).toBeGreaterThan(1e-2);
    const at = async (ratio: number) =>
      answer(await merge(first, second, { first: ratio, second: 1 - ratio }));
    expect(distance(await at(1), firstAnswer)).toBe(0);
    expect(distance(await at(0), secondAnswer)).toBe(0);
    expect(distance(await at(0.5), await answer(await load(`${name}-mean`)))).toBeLessThan(1e-5);
  });

  test('give the second model when their difference is added to the first', SLOW, async () => {
    const [first, second] = [await load(name), await load(`${name}-other`)];
    const difference = await merge(second, first, { first: 1, second: -1 });
    const sum = await merge(first, difference, { first: 1, second: 1 });
    expect(distance(await answer(sum), await answer(second))).toBeLessThan(1e-4);
  });
});

test('merges UNets whose norms the exporter decomposed', SLOW, async () => {
  const merged = await merge(await load('unet'), await load('unet-other'), { first: 0.5, second: 0.5 });
  expect(distance(await answer(merged), await answer(await load('unet-mean')))).toBeLessThan(1e-5);
});

test('merges each block by its ratio', SLOW, async () => {
  const files = host.files;
  // This graph stores equal norms once, so only other weights differ in the second model.
  const isDistinct = (weight: string) => !/norm|^onnx::(Mul|Add)/.test(weight);
  await writeWithWeights(files, `${NETWORKS}/unet`, `${NETWORKS}/blocks`, (weight, numbers) =>
    isDistinct(weight) ? other(weight, numbers) : numbers,
  );
  const first = await load('unet');
  const second = await load('blocks');
  const expected = async (isSecond: RegExp, nodes: RegExp) => {
    const changed = await weightsOf(files, `${NETWORKS}/blocks`);
    const { nodes: all } = await graphsOf(host).at(`${NETWORKS}/unet`).source.outline();
    const isIn = (weight: string) =>
      isSecond.test(weight) || all.some((node) => node.inputs.includes(weight) && nodes.test(node.name));
    await writeWithWeights(files, `${NETWORKS}/unet`, `${NETWORKS}/expected`, (weight, numbers) =>
      isIn(weight) ? changed.get(weight)! : numbers,
    );
    await graphsOf(host).at(`${NETWORKS}/expected`).unload();
    return answer(await load('expected'));
  };
  const sides = await mergeByBlocks(first, second, { input: 1, middle: 0, out: 0 });
  const later = await expected(/^(mid_block|up_blocks|conv_out)/, /^\/(mid_block|up_blocks)/);
  expect(distance(await answer(sides), later)).toBeLessThan(1e-6);
  // With one layer per block, the second up block begins with `output_blocks.2`.
  const ratios = { 'time_embed.': 1, 'output_blocks.2.': 0, 'output_blocks.3.': 0 };
  const secondBlock = await mergeByBlocks(first, second, ratios);
  const block = await expected(/^up_blocks\.1\./, /^\/up_blocks\.1\//);
  expect(distance(await answer(secondBlock), block)).toBeLessThan(1e-6);
  expect(distance(block, later)).toBeGreaterThan(1e-3);
});

test('gives merged weights of their own to modules that share stored weights', SLOW, async () => {
  const floats = (name: string) => ({
    name,
    type: 'float32' as const,
    shape: ['batch', 4, 'height', 'width'],
  });
  const write = async (name: string, down: number, middle: number, isShared: boolean) => {
    const graph = new GraphBuilder(new Map());
    const weight = (part: string, value: number) =>
      graph.floatInitializer(`${part}.norm1.weight`, [4, 1, 1], new Array(4).fill(value));
    const modules = { down: 'down_blocks.0.resnets.0', middle: 'mid_block.resnets.0' };
    const first = weight(modules.down, down);
    const second = isShared
      ? graph.node('Identity', [first], {}, `${modules.middle}.norm1.weight`, 'Identity_1')
      : weight(modules.middle, middle);
    const a = graph.node('Mul', ['sample', first], {}, undefined, '/down_blocks.0/resnets.0/norm1/Mul');
    const b = graph.node('Mul', [a, second], {}, undefined, '/mid_block/resnets.0/norm1/Mul');
    const unused = graph.node('Mul', [
      graph.node('Cast', ['timestep'], { to: 1 }),
      graph.scalarInitializer(0),
    ]);
    const text = graph.node('Mul', [
      graph.node('ReduceMean', ['encoder_hidden_states'], { keepdims: 0 }),
      graph.scalarInitializer(0),
    ]);
    graph.node('Add', [graph.node('Add', [b, unused]), text], {}, 'out_sample');
    const prompt = { name: 'encoder_hidden_states', type: 'float32' as const, shape: ['batch', 'tokens', 6] };
    await host.files.write(
      `${NETWORKS}/${name}/model.onnx`,
      graph.buildModel(
        [floats('sample'), { name: 'timestep', type: 'int64', shape: ['one'] }, prompt],
        [floats('out_sample')],
      ),
    );
    await host.files.write(`${NETWORKS}/${name}/config.json`, new TextEncoder().encode('{"in_channels": 4}'));
  };
  await write('once', 2, 2, true);
  await write('twice', 10, 100, false);
  const [once, twice] = [await load('once'), await load('twice')];
  const factor = async (model: DiffusionModel) => Number((await answer(model)).data[0]!.toFixed(4));
  expect([await factor(once), await factor(twice)]).toEqual([4, 1000]);
  const half = { first: 0.5, second: 0.5 };
  expect(await factor(await merge(once, twice, half))).toBe(6 * 51);
  expect(await factor(await merge(twice, once, half))).toBe(6 * 51);
  expect(await factor(await mergeByBlocks(once, twice, { input: 1, middle: 0, out: 1 }))).toBe(2 * 100);
  // A merged graph can be merged again.
  const apart = await mergeByBlocks(once, twice, { input: 0, middle: 1, out: 1 });
  expect(await factor(apart)).toBe(10 * 2);
  expect(await factor(await merge(once, apart, half))).toBe(6 * 2);
  expect(await factor(await merge(twice, apart, half))).toBe(10 * 51);
});

test('merges models with adapters, and adds adapters to merged models', SLOW, async () => {
  const [first, second, mean] = [await load('sd3'), await load('sd3-other'), await load('sd3-mean')];
  const adapter = await readAdapter(host, 'sd3.safetensors');
  const adapted = async (model: DiffusionModel) => ({
    ...model,
    network: await model.network.withAdapter!(adapter, 0.8),
  });
  const merged = await merge(first, await adapted(second), { first: 0, second: 1 });
  expect(distance(await answer(merged), await answer(await adapted(second)))).toBeLessThan(1e-5);
  const after = await adapted(await merge(first, second, { first: 0.5, second: 0.5 }));
  expect(distance(await answer(after), await answer(await adapted(mean)))).toBeLessThan(1e-5);
});

test(
  'merges text encoders, which are read at several layers and take embeddings in place of tokens',
  SLOW,
  async () => {
    const at = (name: string) => graphsOf(host).at(`${ENCODERS}/${name}`);
    const encoded = async (graph: ModelGraph, layer: number, tokens: (number | Float32Array)[]) =>
      (
        await textGraph({
          name: 'l',
          graph,
          tokenizer: { tokens: () => [], start: 5, end: 6, pad: 6 },
          length: 12,
          isChunked: true,
          layer,
          rawLayers: false,
        }).encode(tokens, never)
      ).tensor;
    const tokens = [5, 1, 2, 3, ...new Array(8).fill(6)];
    const mixed = [5, 1, Float32Array.from({ length: 8 }, (_, i) => i / 8), 2, ...new Array(8).fill(6)];
    const merged = await mergeGraphs(
      at('text_encoder'),
      at('text_encoder-other'),
      'text encoders',
      () => () => ({
        first: 0.5,
        second: 0.5,
      }),
    );
    for (const [layer, input] of [
      [-1, tokens],
      [-2, mixed],
    ] as const) {
      const mean = await encoded(at('text_encoder-mean'), layer, [...input]);
      expect(distance(await encoded(merged, layer, [...input]), mean)).toBeLessThan(1e-5);
    }
    const adapter = await readAdapter(host, 'text_encoder.safetensors');
    const [a, b] = [
      await applyAdapter(merged, adapter, 0, 0.8),
      await applyAdapter(at('text_encoder-mean'), adapter, 0, 0.8),
    ];
    expect(distance(await encoded(a, -1, tokens), await encoded(b, -1, tokens))).toBeLessThan(1e-5);
  },
);

describe('rejects models that cannot be merged:', () => {
  const half = { first: 0.5, second: 0.5 };
  const kernel = (name: string, node: string, channels: number, quantized = false) => {
    const graph = new GraphBuilder(new Map());
    const weight = graph.floatInitializer(name, [4, channels, 1, 1], new Array(4 * channels).fill(1));
    graph.node('Conv', ['sample', weight], {}, 'out_sample', node);
    const bytes = graph.buildModel(
      [{ name: 'sample', type: 'float32', shape: ['batch', channels, 'h', 'w'] }],
      [{ name: 'out_sample', type: 'float32', shape: ['batch', 4, 'h', 'w'] }],
    );
    if (!quantized) return bytes;
    // The type of the tensor, field 2, comes directly before its name, field 8.
    const at = Buffer.from(bytes).lastIndexOf(name) - 4;
    expect([...bytes.subarray(at, at + 3)]).toEqual([0x10, 1, 0x42]);
    bytes[at + 1] = 3;
    return bytes;
  };
  test.each([
    [
      'another number of channels',
      kernel('conv_in.weight', '/conv_in/Conv', 9),
      /conv_in\.weight is \[4, 4, 1, 1\].*\[4, 9, 1, 1\]/,
    ],
    ['no names', kernel('W_7', 'Conv_0', 4), /optimized after its export.*--optimize/],
    ['integers', kernel('conv_in.weight', '/conv_in/Conv', 4, true), /quantized.*F32 or F16/],
    ['nothing in common', kernel('other.weight', '/other/Conv', 4), /no weights in common/],
  ])('%s', SLOW, async (name, bytes, text) => {
    await writeUnet(host.files, `${NETWORKS}/small`);
    const folder = `${NETWORKS}/${name.replaceAll(' ', '-')}`;
    await host.files.write(`${folder}/model.onnx`, bytes);
    const [first, second] = [await load('small'), await load(name.replaceAll(' ', '-'))];
    await expect(merge(first, second, half)).rejects.toThrow(text);
    // The same holds in the other order.
    await expect(merge(second, first, half)).rejects.toThrow(
      name === 'another number of channels' ? '[4, 9, 1, 1]' : text,
    );
  });
});

test(
  'keeps weights that only the first graph has, and reads 16-bit weights from a data file',
  SLOW,
  async () => {
    const { files } = host;
    await writeUnet(files, `${NETWORKS}/wide`);
    const part = 'down_blocks.0/attentions.0/transformer_blocks.0/attn2/to_k';
    // A graph with key weights alone, in half precision: 2 on the diagonal.
    const stored = {
      name: `${part.replaceAll('/', '.')}.weight`,
      type: 'F16',
      shape: [4, 4],
      start: 0,
      end: 32,
    };
    const graph = new GraphBuilder(new Map([[stored.name, { ...stored, file: 'model.onnx_data' }]]));
    const cast = graph.externalFloats(stored.name);
    graph.node('MatMul', ['encoder_hidden_states', cast], {}, 'out_sample', `/${part}/MatMul`);
    const prompt = { name: 'encoder_hidden_states', type: 'float32' as const, shape: ['batch', 'tokens', 4] };
    await files.write(
      `${NETWORKS}/halves/model.onnx`,
      graph.buildModel([prompt], [{ ...prompt, name: 'out_sample' }]),
    );
    const halves = Uint16Array.from({ length: 16 }, (_, i) => (i % 5 === 0 ? 0x4000 : 0));
    await files.write(`${NETWORKS}/halves/model.onnx_data`, new Uint8Array(halves.buffer));
    const [first, second] = [await load('wide'), await load('halves')];
    const predicted = async ({ network }: DiffusionModel) =>
      (
        await network.predict(full([1, 4, 2, 2], 1), 5, [{ tensor: full([1, 7, 4], 3), options: {} }], never)
      )[0]!.data[0];
    expect(await predicted(first)).toBe(1 + 3);
    expect(await predicted(await merge(first, second, { first: 0.5, second: 0.5 }))).toBe(1 + 1.5 * 3);
  },
);

test('an interrupt ends the merge', SLOW, async () => {
  const [first, second] = [await load('unet'), await load('unet-other')];
  const merged = await merge(first, second, { first: 0.25, second: 0.75 });
  const prompt = new AbortController();
  let read = 0;
  const { numbers } = second.network.graph!;
  second.network.graph!.numbers = (...parameters) => {
    if (++read === 3) prompt.abort(new Error('interrupted'));
    return numbers.apply(second.network.graph, parameters);
  };
  await expect(answer(merged, prompt.signal)).rejects.toThrow('interrupted');
  expect(read).toBeLessThan(5);
});
