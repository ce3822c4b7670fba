/** Music of ACE-Step 1.5: small files with the names of the published ones, as graphs of its templates use them. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import {
  ace15CodeWriter,
  ace15Network,
  ace15TextEncoder,
  letterTable,
} from '#test/support/model-files/ace-step-15-shapes.ts';
import { readNumbers } from '#test/support/model-files/exported-numbers.ts';
import {
  renameWeights,
  type Shapes,
  weightsFor,
  writeWeights,
} from '#test/support/model-files/weight-files.ts';
import type { FloatTensor } from '../../values/tensor.ts';

const SLOW = { timeout: 120_000 };
let server: ReturnType<typeof imageServer>;
let remove: () => Promise<void>;

const shapesOf = async (name: string): Promise<Shapes> =>
  (await readNumbers<{ weights: Shapes }>(`weight_files/audio/${name}.json`)).weights;

const prefixed = (prefix: string, weights: Record<string, FloatTensor>) =>
  renameWeights(weights, (name) => prefix + name);

beforeAll(async () => {
  const onnx = await onnxHost();
  remove = onnx.remove;
  const { files } = onnx.host;
  const network = weightsFor(ace15Network(await shapesOf('ace_step_15')));
  const autoencoder = weightsFor(await shapesOf('ace_vae_15'));
  const [text, codes] = [weightsFor(ace15TextEncoder(256)), weightsFor(ace15CodeWriter())];
  const write = (path: string, weights: Record<string, FloatTensor>) =>
    writeWeights(files, `models/${path}.safetensors`, weights);
  await write('diffusion_models/ace15', network);
  await write('vae/ace15', autoencoder);
  await write('text_encoders/text', text);
  await write('text_encoders/codes', codes);
  await write('checkpoints/ace15', {
    ...prefixed('model.diffusion_model.', network),
    ...prefixed('vae.', autoencoder),
    ...prefixed('text_encoders.qwen3_06b.transformer.', text),
    ...prefixed('text_encoders.qwen3_2b.transformer.', codes),
  });
  const table = new TextEncoder().encode(JSON.stringify(letterTable));
  await files.write('models/tokenizers/qwen3/tokenizer.json', table);
  server = imageServer({ host: onnx.host });
});
afterAll(async () => {
  await server.close();
  await remove();
});

type Link = readonly [node: string, output: number];
interface Parts {
  loaders: Record<string, object>;
  model: Link;
  clip: Link;
  vae: Link;
}

const SEPARATE: Parts = {
  loaders: {
    '1': { class_type: 'UNETLoader', inputs: { unet_name: 'ace15.safetensors', weight_dtype: 'default' } },
    '2': {
      class_type: 'DualCLIPLoader',
      inputs: { clip_name1: 'text.safetensors', clip_name2: 'codes.safetensors', type: 'ace' },
    },
    '3': { class_type: 'VAELoader', inputs: { vae_name: 'ace15.safetensors' } },
  },
  model: ['1', 0],
  clip: ['2', 0],
  vae: ['3', 0],
};
const TOGETHER: Parts = {
  loaders: { '1': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'ace15.safetensors' } } },
  model: ['1', 0],
  clip: ['1', 1],
  vae: ['1', 2],
};

const graph = ({ loaders, model, clip, vae }: Parts, inputs: object, cfg: number, positive: Link) => ({
  ...loaders,
  '4': {
    class_type: 'TextEncodeAceStepAudio1.5',
    inputs: {
      ...{ clip, tags: 'a tune', lyrics: '[verse] la', seed: 1, bpm: 90, duration: 1, timesignature: '4' },
      ...{ language: 'en', keyscale: 'E minor', generate_audio_codes: true, cfg_scale: 2, temperature: 0.85 },
      ...{ top_p: 0.9, top_k: 0, min_p: 0, ...inputs },
    },
  },
  '5': { class_type: 'ConditioningZeroOut', inputs: { conditioning: ['4', 0] } },
  '6': { class_type: 'EmptyAceStep1.5LatentAudio', inputs: { seconds: 1, batch_size: 1 } },
  '7': { class_type: 'ModelSamplingAuraFlow', inputs: { model, shift: 3 } },
  '8': {
    class_type: 'KSampler',
    inputs: {
      ...{ model: ['7', 0], positive, negative: ['5', 0], latent_image: ['6', 0] },
      ...{ seed: 1, steps: 2, cfg, sampler_name: 'euler', scheduler: 'simple', denoise: 1 },
    },
  },
  '9': { class_type: 'VAEDecodeAudio', inputs: { samples: ['8', 0], vae } },
  '10': { class_type: 'SaveAudio', inputs: { audio: ['9', 0], filename_prefix: 'song' } },
  '11': { class_type: 'VAEEncodeAudio', inputs: { audio: ['9', 0], vae } },
  '12': { class_type: 'ReferenceTimbreAudio', inputs: { conditioning: ['4', 0], latent: ['6', 0] } },
});

/** The end of a file has audio alone. The beginning has the graph. */
const AUDIO_BYTES = 2000;

/** The digest of the song. */
async function songOf(
  parts: Parts,
  { inputs = {}, cfg = 1, positive = ['4', 0] as Link } = {},
): Promise<string> {
  const { entry } = await server.run(graph(parts, inputs, cfg, positive));
  const failure = entry.status.messages.find(([name]) => name === 'execution_error');
  expect(failure?.[1].exception_message).toBeUndefined();
  const [{ filename }] = entry.outputs['10']!.audio as [{ filename: string }];
  const song = await server.host.files.read(`output/${filename}`);
  expect(song.length).toBeGreaterThan(2 * AUDIO_BYTES);
  return createHash('sha256').update(song.subarray(-AUDIO_BYTES)).digest('hex');
}

test('separate files and a checkpoint make the same music, and codes change it', SLOW, async () => {
  const song = await songOf(SEPARATE);
  expect(await songOf(TOGETHER)).toBe(song);
  expect(await songOf(SEPARATE, { inputs: { generate_audio_codes: false } })).not.toEqual(song);
  expect(await songOf(SEPARATE, { inputs: { lyrics: '[verse] lu' } })).not.toEqual(song);
});

test('guidance away from nothing, and music after other audio', SLOW, async () => {
  const plain = await songOf(SEPARATE, { inputs: { generate_audio_codes: false } });
  const guided = { inputs: { generate_audio_codes: false }, cfg: 6 };
  expect(await songOf(SEPARATE, guided)).not.toEqual(plain);
  const followed = { inputs: { generate_audio_codes: false }, positive: ['12', 0] as const };
  expect(await songOf(SEPARATE, followed)).not.toEqual(plain);
});

test('an encoder without a language model says what is missing', SLOW, async () => {
  const alone: Parts = {
    ...SEPARATE,
    loaders: {
      ...SEPARATE.loaders,
      '2': { class_type: 'CLIPLoader', inputs: { clip_name: 'text.safetensors', type: 'ace' } },
    },
  };
  const { entry } = await server.run(graph(alone, {}, 1, ['4', 0]));
  const failure = entry.status.messages.find(([name]) => name === 'execution_error');
  expect(failure?.[1].exception_message).toContain('turn generate_audio_codes off');
});
