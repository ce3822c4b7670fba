/** PhotoMaker from its file of weights: the small networks around CLIP are computed here a second time. */
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import {
  renameWeights,
  type Shapes,
  weightsFor,
  writeWeights,
} from '#test/support/model-files/weight-files.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { loadClipVision } from './clip-vision.ts';
import { loadPhotoMaker } from './photo-maker.ts';

const [WIDTH, TOKEN, ROWS] = [64, 10, 5];
const PROJECTED = [4, 6] as const;
const never = new AbortController().signal;
const host = await weightsHost('here');

const layer = (name: string, ...shape: number[]): Shapes => ({
  [`${name}.weight`]: shape,
  [`${name}.bias`]: [shape[0]!],
});
const perceptronShapes = (name: string, inputs: number): Shapes => ({
  ...layer(`${name}.layernorm`, inputs),
  ...layer(`${name}.fc1`, TOKEN, inputs),
  ...layer(`${name}.fc2`, TOKEN, TOKEN),
});
const encoder = 'vision_model.encoder.layers.0';
const shapes: Shapes = {
  'vision_model.embeddings.class_embedding': [WIDTH],
  'vision_model.embeddings.patch_embedding.weight': [WIDTH, 3, 4, 4],
  'vision_model.embeddings.position_embedding.weight': [ROWS, WIDTH],
  ...layer('vision_model.pre_layrnorm', WIDTH),
  ...layer('vision_model.post_layernorm', WIDTH),
  ...layer(`${encoder}.layer_norm1`, WIDTH),
  ...layer(`${encoder}.layer_norm2`, WIDTH),
  ...Object.assign(
    {},
    ...['q_proj', 'k_proj', 'v_proj', 'out_proj'].map((part) =>
      layer(`${encoder}.self_attn.${part}`, WIDTH, WIDTH),
    ),
  ),
  ...layer(`${encoder}.mlp.fc1`, 2 * WIDTH, WIDTH),
  ...layer(`${encoder}.mlp.fc2`, WIDTH, 2 * WIDTH),
  'visual_projection.weight': [PROJECTED[0], WIDTH],
  'visual_projection_2.weight': [PROJECTED[1], WIDTH],
  ...perceptronShapes('fuse_module.mlp1', 2 * TOKEN),
  ...perceptronShapes('fuse_module.mlp2', TOKEN),
  ...layer('fuse_module.layer_norm', TOKEN),
};
const weights = weightsFor(shapes);
const image: FloatTensor = {
  shape: [1, 8, 8, 3],
  data: Float32Array.from({ length: 192 }, (_, at) => (at % 7) / 7),
};
const token: FloatTensor = {
  shape: [1, TOKEN],
  data: Float32Array.from({ length: TOKEN }, (_, at) => Math.sin(at)),
};

beforeAll(async () => {
  await writeWeights(host.files, 'models/photomaker/plain.safetensors', weights);
  const wrapped = renameWeights(weights, (name) => `id_encoder.${name}`);
  await writeWeights(host.files, 'models/photomaker/wrapped.safetensors', {
    ...wrapped,
    'lora_weights.unet.weight': zeros([1]),
  });
});

/** The two projections of the image, each as the projection of a CLIP of its own. */
async function person(): Promise<number[]> {
  const values: number[] = [];
  for (const name of ['visual_projection', 'visual_projection_2']) {
    const clip = { ...weights, 'visual_projection.weight': weights[`${name}.weight`]! };
    await writeWeights(host.files, `models/clip_vision/${name}.safetensors`, clip);
    const seen = await (await loadClipVision(host, `${name}.safetensors`)).encode(image, 'center', never);
    values.push(...seen.imageEmbeds!.data);
  }
  return values;
}

const vector = (name: string) => [...weights[name]!.data];
const linear = (name: string, x: number[]) =>
  vector(`${name}.bias`).map((bias, row) =>
    x.reduce((sum, value, at) => sum + value * weights[`${name}.weight`]!.data[row * x.length + at]!, bias),
  );
function norm(name: string, x: number[]): number[] {
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
  const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  const [scale, bias] = [vector(`${name}.weight`), vector(`${name}.bias`)];
  return x.map((value, at) => ((value - mean) / Math.sqrt(variance + 1e-5)) * scale[at]! + bias[at]!);
}
/** Abramowitz and Stegun, "Handbook of mathematical functions", 7.1.26: within 1.5e-7. */
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const sum = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592].reduce(
    (total, factor) => (total + factor) * t,
    0,
  );
  return Math.sign(x) * (1 - sum * Math.exp(-x * x));
}
const gelu = (x: number) => (x * (1 + erf(x * Math.SQRT1_2))) / 2;
const perceptron = (name: string, x: number[]) =>
  linear(`${name}.fc2`, linear(`${name}.fc1`, norm(`${name}.layernorm`, x)).map(gelu));
const sum = (a: number[], b: number[]) => a.map((value, at) => value + b[at]!);

test.each(['plain', 'wrapped'])('the person of an image joins a token: %s', async (name) => {
  const words = [...token.data];
  const joined = sum(perceptron('fuse_module.mlp1', [...words, ...(await person())]), words);
  const expected = norm('fuse_module.layer_norm', sum(perceptron('fuse_module.mlp2', joined), joined));
  const model = await loadPhotoMaker(host, `${name}.safetensors`);
  expectNear(await model.withPerson(image, token, never), { shape: [1, TOKEN], data: expected });
});

test('a prompt of another width is refused', async () => {
  const model = await loadPhotoMaker(host, 'plain.safetensors');
  await expect(model.withPerson(image, zeros([1, 4]), never)).rejects.toThrow(
    'PhotoMaker takes prompts of 10 numbers a token, and this one has 4',
  );
});

test.each([
  ['qformer_perceiver.token_proj.0.weight', 'is version 2 of PhotoMaker'],
  ['decoder.mid.block_1.conv1.weight', 'is no file of PhotoMaker'],
])('a file with %s is refused', async (name, message) => {
  await writeWeights(host.files, 'models/photomaker/other.safetensors', { [name]: zeros([1]) });
  await expect(loadPhotoMaker(host, 'other.safetensors')).rejects.toThrow(message);
});
