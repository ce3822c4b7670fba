/** A union of control nets, compared with its formula. */
import { beforeAll, expect, test } from 'vitest';
import { GraphBuilder } from '#core/tensors';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { weightsFor, writeWeights } from '#test/support/model-files/weight-files.ts';
import { NetworkModule } from '../../layers/network-module.ts';
import { readWeightFile } from '../../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../../weight-files/weight-file-graphs.ts';
import { controlUnion } from './control-union.ts';

const never = new AbortController().signal;
const [WIDTH, KINDS, KIND_EMBEDDING] = [6, 2, 256];
const weights = weightsFor({
  'control_add_embedding.linear_1.weight': [5, KINDS * KIND_EMBEDDING],
  'control_add_embedding.linear_1.bias': [5],
  'control_add_embedding.linear_2.weight': [5, 5],
  'control_add_embedding.linear_2.bias': [5],
  task_embedding: [KINDS, WIDTH],
  'transformer_layes.0.ln_1.weight': [WIDTH],
  'transformer_layes.0.ln_1.bias': [WIDTH],
  'transformer_layes.0.attn.in_proj_weight': [3 * WIDTH, WIDTH],
  'transformer_layes.0.attn.in_proj_bias': [3 * WIDTH],
  'transformer_layes.0.attn.out_proj.weight': [WIDTH, WIDTH],
  'transformer_layes.0.attn.out_proj.bias': [WIDTH],
  'transformer_layes.0.ln_2.weight': [WIDTH],
  'transformer_layes.0.ln_2.bias': [WIDTH],
  'transformer_layes.0.mlp.c_fc.weight': [12, WIDTH],
  'transformer_layes.0.mlp.c_fc.bias': [12],
  'transformer_layes.0.mlp.c_proj.weight': [WIDTH, 12],
  'transformer_layes.0.mlp.c_proj.bias': [WIDTH],
  'spatial_ch_projs.weight': [WIDTH, WIDTH],
  'spatial_ch_projs.bias': [WIDTH],
});
const embedding = [0.1, -0.2, 0.3, -0.4, 0.5];
/** [1, WIDTH, 1, 2] */
const hint = Array.from({ length: 2 * WIDTH }, (_, at) => Math.sin(at));

const host = await weightsHost('here');
beforeAll(async () => {
  await writeWeights(host.files, 'm/union.safetensors', weights);
});

async function compute(type: number[]): Promise<{ time: number[]; image: number[] }> {
  const file = await readWeightFile(host.files, 'm/union.safetensors');
  const graph = new WeightFileGraphs(host, file).graph('union', file.table, () => {
    const builder = new GraphBuilder(file.table);
    const union = controlUnion(new NetworkModule(builder), 'embedding', 'hint')!;
    builder.node('Identity', [union.embedding], {}, 'time');
    builder.node('Identity', [union.hint], {}, 'image');
    const floats = (name: string, ...shape: number[]) => ({ name, type: 'float32' as const, shape });
    return builder.buildModel(
      [floats('embedding', 1, 5), floats('hint', 1, WIDTH, 1, 2), ...union.inputs],
      [floats('time', 1, 5), floats('image', 1, WIDTH, 1, 2)],
    );
  });
  const session = await graph.session(never);
  const tensor = (shape: number[], data: number[]) =>
    ({ type: 'float32', shape, data: Float32Array.from(data) }) as const;
  const { time, image } = await session.run(
    {
      embedding: tensor([1, 5], embedding),
      hint: tensor([1, WIDTH, 1, 2], hint),
      control_type: tensor([1, KINDS], type),
    },
    never,
  );
  return { time: [...(time!.data as Float32Array)], image: [...(image!.data as Float32Array)] };
}

const sum = (a: number[], b: number[]) => a.map((value, at) => value + b[at]!);
const parameter = (name: string) => [...weights[name]!.data];
/** weight · x + bias, with the rows from `first` on. */
function linear(x: number[], weight: string, bias: string, first = 0): number[] {
  const rows = parameter(bias).slice(first);
  return rows.map((start, row) =>
    x.reduce(
      (total, value, at) => total + value * weights[weight]!.data[(row + first) * x.length + at]!,
      start,
    ),
  );
}
const layer = (x: number[], name: string) => linear(x, `${name}.weight`, `${name}.bias`);
function norm(x: number[], name: string): number[] {
  const mean = x.reduce((total, value) => total + value, 0) / x.length;
  const variance = x.reduce((total, value) => total + (value - mean) ** 2, 0) / x.length;
  return x.map(
    (value, at) =>
      ((value - mean) / Math.sqrt(variance + 1e-5)) * parameter(`${name}.weight`)[at]! +
      parameter(`${name}.bias`)[at]!,
  );
}
const gate = (factor: number) => (value: number) => value / (1 + Math.exp(-factor * value));

function expectedTime(type: number[]): number[] {
  const half = KIND_EMBEDDING / 2;
  const angles = (value: number) => Array.from({ length: half }, (_, i) => value * 10000 ** (-i / half));
  const numbers = type.flatMap((value) => [...angles(value).map(Math.cos), ...angles(value).map(Math.sin)]);
  const inner = layer(numbers, 'control_add_embedding.linear_1').map(gate(1));
  return sum(embedding, layer(inner, 'control_add_embedding.linear_2'));
}

function expectedImage(kind: number): number[] {
  const mean = Array.from(
    { length: WIDTH },
    (_, channel) => (hint[2 * channel]! + hint[2 * channel + 1]!) / 2,
  );
  const name = 'transformer_layes.0';
  let token = sum(mean, parameter('task_embedding').slice(kind * WIDTH, (kind + 1) * WIDTH));
  const normed = norm(token, `${name}.ln_1`);
  const value = linear(normed, `${name}.attn.in_proj_weight`, `${name}.attn.in_proj_bias`, 2 * WIDTH);
  token = sum(token, layer(value, `${name}.attn.out_proj`));
  const inner = layer(norm(token, `${name}.ln_2`), `${name}.mlp.c_fc`).map(gate(1.702));
  token = sum(token, layer(inner, `${name}.mlp.c_proj`));
  const shift = layer(token, 'spatial_ch_projs');
  return hint.map((cell, at) => cell + shift[Math.floor(at / 2)]!);
}

const expectNear = (actual: number[], expected: number[]) => {
  expect(actual).toHaveLength(expected.length);
  for (const [index, value] of actual.entries()) expect(value).toBeCloseTo(expected[index]!, 5);
};

test('the kind of the image changes the embedding and the hint', async () => {
  const { time, image } = await compute([0, 1]);
  expectNear(time, expectedTime([0, 1]));
  expectNear(image, expectedImage(1));
});

test('without a kind the hint stays', async () => {
  const { time, image } = await compute([0, 0]);
  expectNear(time, expectedTime([0, 0]));
  expectNear(image, hint);
});
