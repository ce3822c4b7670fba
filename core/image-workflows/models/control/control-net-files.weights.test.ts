/** Control nets in files of weights, in onnxruntime. */
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { controlNetShapes, unetShapes } from '#test/support/model-files/unet-weights.ts';
import { renameWeights, weightsFor, writeWeights } from '#test/support/model-files/weight-files.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import { ldmControlNet } from '../families/control-nets/control-net-names.ts';
import { ldmUnet } from '../families/unet/ldm-unet-names.ts';
import { unetGraph } from '../families/unet/unet-graph.ts';
import { onnxNetwork } from '../networks/onnx-network.ts';
import { unetLayout } from '../networks/unet-layout.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { loadControlNet, loadDiffControlNet } from './control-net.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const TINY = { width: 64, context: 8, depths: [1, 0], middle: 1, isLinear: true };
const [TIMESTEP, SIDE] = [321, 4];

const host = await weightsHost('here');

const random = (shape: readonly number[], seed: number): FloatTensor => {
  const size = shape.reduce((product, side) => product * side, 1);
  return { shape, data: Float32Array.from({ length: size }, (_, at) => Math.sin(at * 12.9898 + seed)) };
};
const x = random([1, 4, SIDE, SIDE], 1);
const image = {
  ...full([1, 32, 32, 3], 0),
  data: random([1, 32, 32, 3], 2).data.map((each) => (each + 1) / 2),
};
const prompt = { tensor: random([1, 3, 8], 3), options: {} };

const residualsOf = async (name: string, type?: number): Promise<FloatTensor[]> => {
  const net = (await loadControlNet(host, name)).ofType(type);
  return (await net.residuals(x, TIMESTEP, [prompt], image, never))[0]!;
};

const controlWeights = weightsFor(controlNetShapes(TINY));
/** The same weights by their names in diffusers. */
const diffusersWeights = (): Record<string, FloatTensor> => {
  const stored = (name: string) => ({
    file: name,
    type: 'F32',
    shape: controlWeights[name]!.shape,
    start: 0,
    end: 0,
  });
  const table = ldmControlNet(new Map(Object.keys(controlWeights).map((name) => [name, stored(name)])))!;
  return Object.fromEntries([...table].map(([name, { file }]) => [name, controlWeights[file]!]));
};

beforeAll(async () => {
  const write = (name: string, weights: Record<string, FloatTensor>) =>
    writeWeights(host.files, `models/${name}`, weights);
  await write('controlnet/plain.safetensors', controlWeights);
  await write('controlnet/shuffle_shuffle.safetensors', controlWeights);
  await write(
    'controlnet/prefixed.safetensors',
    renameWeights(controlWeights, (name) => `control_model.${name}`),
  );
  await write('controlnet/diffusers.safetensors', diffusersWeights());
  await write('unet/tiny.safetensors', weightsFor(unetShapes(TINY)));
});

/** A small UNet as it is built for checkpoints. */
async function tinyNetwork(): Promise<DiffusionModel['network']> {
  const graphs = new WeightFileGraphs(host, await readWeightFile(host.files, 'models/unet/tiny.safetensors'));
  const weights = ldmUnet(graphs.file.table);
  const graph = graphs.graph('unet', weights, () => unetGraph(weights, { headWidth: 64 }));
  return onnxNetwork(
    graph,
    unetLayout(() => []),
  );
}

const expectNear = (actual: FloatTensor, expected: FloatTensor) =>
  expect(
    largest({ ...actual, data: actual.data.map((value, at) => value - expected.data[at]!) }),
  ).toBeLessThan(1e-5);
const largest = ({ data }: FloatTensor) => data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

test('the original layout with and without a prefix, and that of diffusers, agree', SLOW, async () => {
  const plain = await residualsOf('plain.safetensors');
  expect(plain.map(({ shape }) => shape)).toEqual([
    [1, 64, 4, 4],
    [1, 64, 4, 4],
    [1, 64, 2, 2],
    [1, 128, 2, 2],
    [1, 128, 2, 2],
  ]);
  expect(Math.min(...plain.map(largest))).toBeGreaterThan(0.01);
  expect(await residualsOf('prefixed.safetensors')).toEqual(plain);
  expect(await residualsOf('diffusers.safetensors')).toEqual(plain);
});

test('the network takes the residuals, and needs none', SLOW, async () => {
  const network = await tinyNetwork();
  const control = await residualsOf('plain.safetensors');
  const [plain, controlled] = await network.predict(x, TIMESTEP, [prompt, { ...prompt, control }], never);
  const nothing = control.map(({ shape }) => zeros(shape));
  const [same] = await network.predict(x, TIMESTEP, [{ ...prompt, control: nothing }], never);
  expect(same!.data).toEqual(plain!.data);
  expect(controlled!.data).not.toEqual(plain!.data);
  await expect(
    network.predict(x, TIMESTEP, [{ ...prompt, control: control.slice(1) }], never),
  ).rejects.toThrow('the control net changes 4 layers, and this model has 5 such layers');
  await expect(
    network.predict(x, TIMESTEP, [{ tensor: zeros([1, 3, 9]), options: {} }], never),
  ).rejects.toThrow('this network takes prompts of 8 numbers for each token, and this prompt has 9');
});

test('a net that transfers colors averages its residuals over the image', SLOW, async () => {
  const plain = await residualsOf('plain.safetensors');
  for (const [index, { data, shape }] of (await residualsOf('shuffle_shuffle.safetensors')).entries()) {
    const cells = shape[2]! * shape[3]!;
    const expected = plain[index]!.data.map((_, at) => {
      const first = at - (at % cells);
      return plain[index]!.data.slice(first, first + cells).reduce((sum, value) => sum + value, 0) / cells;
    });
    expect(Math.max(...data.map((value, at) => Math.abs(value - expected[at]!)))).toBeLessThan(1e-6);
  }
});

test('differences are added to the weights of the model', SLOW, async () => {
  const network = await tinyNetwork();
  const base = weightsFor(unetShapes(TINY));
  const differences = Object.fromEntries(
    Object.entries(controlWeights).map(([name, { shape, data }]) => {
      const other = base[name]?.data;
      return [name, { shape, data: other ? data.map((value, at) => value - other[at]!) : data }];
    }),
  );
  await writeWeights(host.files, 'models/controlnet/difference.safetensors', {
    ...differences,
    difference: zeros([1]),
  });
  const model = { network } as DiffusionModel;
  const net = await loadDiffControlNet(host, 'difference.safetensors', model, never);
  const [actual] = await net.residuals(x, TIMESTEP, [prompt], image, never);
  const expected = await residualsOf('plain.safetensors');
  for (const [index, { data }] of actual!.entries())
    expectNear({ shape: expected[index]!.shape, data }, expected[index]!);
  const unchanged = await loadDiffControlNet(host, 'plain.safetensors', model, never);
  expect((await unchanged.residuals(x, TIMESTEP, [prompt], image, never))[0]).toEqual(expected);
});

test('a Control-LoRA has the weights of the model, and products of small matrices', SLOW, async () => {
  const network = await tinyNetwork();
  const base = weightsFor(unetShapes(TINY));
  const lora: Record<string, FloatTensor> = { lora_controlnet: zeros([1]) };
  const complete: Record<string, FloatTensor> = {};
  for (const [name, tensor] of Object.entries(controlWeights)) {
    const shared = base[name];
    if (!shared) lora[name] = complete[name] = tensor;
    else if (!name.endsWith('.weight') || tensor.shape.length < 2) complete[name] = shared;
    else {
      const [rows = 0, ...rest] = tensor.shape;
      const module = name.slice(0, -'.weight'.length);
      const kernel = rest.slice(1);
      const up = random([rows, 2, ...kernel.map(() => 1)], rows);
      const down = random([2, ...rest], rows + 1);
      Object.assign(lora, { [`${module}.up`]: up, [`${module}.down`]: down });
      const columns = down.data.length / 2;
      complete[name] = {
        shape: tensor.shape,
        data: shared.data.map((value, at) => {
          const [row, column] = [Math.floor(at / columns), at % columns];
          const [first, second] = [up.data[2 * row]!, up.data[2 * row + 1]!];
          return value + first * down.data[column]! + second * down.data[columns + column]!;
        }),
      };
    }
  }
  await writeWeights(host.files, 'models/controlnet/lora.safetensors', lora);
  await writeWeights(host.files, 'models/controlnet/complete.safetensors', complete);
  const net = await loadControlNet(host, 'lora.safetensors');
  await expect(net.residuals(x, TIMESTEP, [prompt], image, never)).rejects.toThrow('needs a model');
  const [actual] = await net.forNetwork!(network).residuals(x, TIMESTEP, [prompt], image, never);
  const expected = await residualsOf('complete.safetensors');
  for (const [index, { data }] of actual!.entries()) {
    const spread = largest(expected[index]!);
    const far = data.map((value, at) => Math.abs(value - expected[index]!.data[at]!));
    expect(Math.max(...far)).toBeLessThan(1e-4 * spread);
  }
  expect(actual).toHaveLength(expected.length);
});

test.each([
  ['lora_controlnet', 'is an incomplete Control-LoRA'],
  ['controlnet_blocks.0.weight', 'is a control net of another transformer'],
  ['model.diffusion_model.out.0.bias', 'the nearest kind is a checkpoint, for CheckpointLoaderSimple'],
])('a file with %s is refused', async (name, message) => {
  await writeWeights(host.files, 'models/controlnet/other.safetensors', { [name]: zeros([1]) });
  await expect(loadControlNet(host, 'other.safetensors')).rejects.toThrow(message);
});
