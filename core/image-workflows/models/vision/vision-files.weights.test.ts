/** Vision encoders in files of weights, compared with transformers (test/diffusers/scripts/vision.py). */
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { writeExported } from '#test/support/model-files/exported-model.ts';
import { expectNear, type Numbers, readNumbers } from '#test/support/model-files/exported-numbers.ts';
import { builtOver, exportedWeights } from '#test/support/model-files/exported-weights.ts';
import { type Shapes, weightsFor, writeWeights } from '#test/support/model-files/weight-files.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import { toFloatTensor } from '../graphs/session-tensors.ts';
import { loadClipVision } from './clip-vision.ts';
import { clipVisionGraph } from './clip-vision-graph.ts';
import { preprocessImage } from './preprocess-image.ts';
import { loadStyleModel } from './style-model.ts';

interface RecordedOutput {
  last: Numbers;
  penultimate: Numbers;
  embeds: Numbers;
}

/** The normalizations of the trainings. */
const COLORS = {
  clip: { mean: [0.48145466, 0.4578275, 0.40821073], std: [0.26862954, 0.26130258, 0.27577711] },
  siglip: { mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5] },
};
const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost('here');
let answers: Record<'clip' | 'siglip', Record<'center', RecordedOutput>> & {
  picture: { shape: number[]; bytes: number[] };
};

beforeAll(async () => {
  await writeExported(host.files, 'clip_vision', 'm/clip');
  await writeExported(host.files, 'siglip', 'm/siglip');
  answers = await readNumbers('vision.json');
});

test.each([
  ['clip', 'quick_gelu'],
  ['siglip', 'tanh_gelu'],
] as const)('the graph of %s', SLOW, async (kind, activation) => {
  const weights = await exportedWeights(host, `m/${kind}`, kind === 'siglip' ? 'vision_model.' : '');
  const graph = builtOver(host, `m/${kind}`, () => clipVisionGraph(weights, { kind, activation, heads: 2 }));
  const session = await graph.session(never);
  const { last, penultimate, embeds } = answers[kind].center;
  const { shape, bytes } = answers.picture;
  const image = { shape, data: Float32Array.from(bytes, (byte) => byte / 255) };
  const pixels = await preprocessImage(image, { size: 16, ...COLORS[kind] }, 'center', never);
  const outputs = await session.run({ pixel_values: { type: 'float32', ...pixels } }, never);
  expectNear(toFloatTensor(outputs.last_hidden_state!), last);
  expectNear(toFloatTensor(outputs.penultimate_hidden_state!), penultimate);
  if (kind === 'clip') expectNear(toFloatTensor(outputs.image_embeds!), embeds);
});

const [WIDTH, PATCH, ROWS] = [32, 4, 5];
const layer = (name: string, ...shape: number[]): Shapes => ({
  [`${name}.weight`]: shape,
  [`${name}.bias`]: [shape[0]!],
});
/** CLIP with two layers and images of 8 x 8. */
const clipShapes: Shapes = {
  'vision_model.embeddings.class_embedding': [WIDTH],
  'vision_model.embeddings.patch_embedding.weight': [WIDTH, 3, PATCH, PATCH],
  'vision_model.embeddings.position_embedding.weight': [ROWS, WIDTH],
  ...layer('vision_model.pre_layrnorm', WIDTH),
  ...Object.assign(
    {},
    ...[0, 1].map((index): Shapes => {
      const name = `vision_model.encoder.layers.${index}`;
      return {
        ...layer(`${name}.layer_norm1`, WIDTH),
        ...layer(`${name}.self_attn.q_proj`, WIDTH, WIDTH),
        ...layer(`${name}.self_attn.k_proj`, WIDTH, WIDTH),
        ...layer(`${name}.self_attn.v_proj`, WIDTH, WIDTH),
        ...layer(`${name}.self_attn.out_proj`, WIDTH, WIDTH),
        ...layer(`${name}.layer_norm2`, WIDTH),
        ...layer(`${name}.mlp.fc1`, 2 * WIDTH, WIDTH),
        ...layer(`${name}.mlp.fc2`, WIDTH, 2 * WIDTH),
      };
    }),
  ),
  ...layer('vision_model.post_layernorm', WIDTH),
  'visual_projection.weight': [6, WIDTH],
};

const OPEN_CLIP_NAMES: readonly (readonly [RegExp | string, string])[] = [
  ['vision_model.embeddings.class_embedding', 'class_embedding'],
  ['vision_model.embeddings.position_embedding.weight', 'positional_embedding'],
  ['vision_model.embeddings.patch_embedding', 'conv1'],
  ['vision_model.pre_layrnorm', 'ln_pre'],
  ['vision_model.post_layernorm', 'ln_post'],
  ['vision_model.encoder.layers', 'transformer.resblocks'],
  ['layer_norm', 'ln_'],
  ['mlp.fc1', 'mlp.c_fc'],
  ['mlp.fc2', 'mlp.c_proj'],
  ['self_attn.out_proj', 'attn.out_proj'],
];

function openClipWeights(weights: Record<string, FloatTensor>): Record<string, FloatTensor> {
  const found: Record<string, FloatTensor> = {};
  for (const [name, { shape, data }] of Object.entries(weights)) {
    const renamed = OPEN_CLIP_NAMES.reduce((text, [from, to]) => text.replace(from, to), name);
    if (name === 'visual_projection.weight') {
      const turned = Float32Array.from(data, (_, at) => data[(at % 6) * WIDTH + Math.floor(at / 6)]!);
      found['embedder.model.visual.proj'] = { shape: [WIDTH, 6], data: turned };
    } else if (name.includes('q_proj')) {
      const parts = ['q', 'k', 'v'].map((part) => weights[name.replace('q_proj', `${part}_proj`)]!.data);
      found[`embedder.model.visual.${renamed.replace('self_attn.q_proj.', 'attn.in_proj_')}`] = {
        shape: [3 * WIDTH, ...shape.slice(1)],
        data: Float32Array.from(parts.flatMap((part) => [...part])),
      };
    } else if (!/[kv]_proj/.test(name)) found[`embedder.model.visual.${renamed}`] = { shape, data };
  }
  return found;
}

test('the layouts of transformers and of OpenCLIP agree', SLOW, async () => {
  const weights = weightsFor(clipShapes);
  await writeWeights(host.files, 'models/clip_vision/hf.safetensors', weights);
  await writeWeights(host.files, 'models/clip_vision/open.safetensors', openClipWeights(weights));
  const image = full([1, 8, 8, 3], 0.4);
  image.data.forEach((_, at) => {
    image.data[at] = (at % 7) / 7;
  });
  const seen = await (await loadClipVision(host, 'hf.safetensors')).encode(image, 'center', never);
  const other = await (await loadClipVision(host, 'open.safetensors')).encode(image, 'center', never);
  expect(seen.imageEmbeds!.shape).toEqual([1, 6]);
  expect(seen.lastHiddenState.shape).toEqual([1, ROWS, WIDTH]);
  for (const name of ['imageEmbeds', 'lastHiddenState', 'penultimateHiddenState'] as const)
    expectNear(other[name], { shape: [...seen[name]!.shape], data: [...seen[name]!.data] });
});

test('a file of another kind is refused', async () => {
  const other = { 'decoder.mid.block_1.conv1.weight': zeros([1]) };
  await writeWeights(host.files, 'models/clip_vision/other.safetensors', other);
  await expect(loadClipVision(host, 'other.safetensors')).rejects.toThrow(
    'holds no vision encoder that is known here',
  );
});

test('the style adapter of T2I-Adapter', SLOW, async () => {
  const { weights, inputs, answers: expected } = await answeredWeights('styles/style_adapter');
  await writeWeights(host.files, 'models/style_models/t2i.safetensors', weights);
  const model = await loadStyleModel(host, 't2i.safetensors');
  const seen = {
    imageEmbeds: undefined,
    lastHiddenState: inputs.seen!,
    penultimateHiddenState: undefined,
  };
  expectNear(await model.tokens(seen, never), expected.tokens!);
});

test('the encoder of LLaVA makes tokens for a language model', SLOW, async () => {
  const { weights, inputs, answers: expected } = await answeredWeights('llava_vision');
  await writeWeights(host.files, 'models/clip_vision/llava.safetensors', weights);
  const model = await loadClipVision(host, 'llava.safetensors');
  const { shape, data } = inputs.image!;
  const seen = await model.encode({ shape, data: data.map((value) => value + 0.5) }, 'none', never);
  expectNear(seen.languageTokens, expected.tokens!);
  expect(seen.imageEmbeds!.shape).toEqual([1, 32]);
});
