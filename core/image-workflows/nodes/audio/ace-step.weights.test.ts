/** Music of ACE-Step: a small checkpoint with the names of the published one, as a graph of its template uses it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { aceStepShapes } from '#test/support/model-files/ace-step-shapes.ts';
import { readNumbers } from '#test/support/model-files/exported-numbers.ts';
import { tinySentencePieces } from '#test/support/model-files/tiny-parts.ts';
import { type Shapes, weightsFor, writeWeights } from '#test/support/model-files/weight-files.ts';

let server: ReturnType<typeof imageServer>;
let remove: () => Promise<void>;

const shapesOf = async (name: string): Promise<Shapes> =>
  (await readNumbers<{ weights: Shapes }>(`weight_files/${name}.json`)).weights;

const lyricTable = {
  version: '1.0',
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: null,
  decoder: null,
  model: {
    type: 'BPE',
    unk_token: '[UNK]',
    vocab: { '[UNK]': 1, '[SPACE]': 2, l: 25, a: 14, '[START]': 261 },
    merges: [],
  },
};

beforeAll(async () => {
  const onnx = await onnxHost();
  remove = onnx.remove;
  const { files } = onnx.host;
  const [transformer, autoencoder] = await Promise.all(
    ['audio/ace_transformer', 'audio/ace_autoencoder'].map(shapesOf),
  );
  const weights = weightsFor(aceStepShapes(transformer!, autoencoder!));
  await writeWeights(files, 'models/checkpoints/ace.safetensors', weights);
  const json = (value: object) => new TextEncoder().encode(JSON.stringify(value));
  await files.write('models/tokenizers/umt5/tokenizer.json', json(tinySentencePieces));
  await files.write('models/tokenizers/ace-lyrics/vocab.json', json(lyricTable));
  server = imageServer({ host: onnx.host });
});
afterAll(async () => {
  await server.close();
  await remove();
});

const graph = (lyrics: string, strength = 1) => ({
  '1': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'ace.safetensors' } },
  '2': {
    class_type: 'TextEncodeAceStepAudio',
    inputs: { clip: ['1', 1], tags: 'a tune', lyrics, lyrics_strength: strength },
  },
  '3': { class_type: 'ConditioningZeroOut', inputs: { conditioning: ['2', 0] } },
  '4': { class_type: 'EmptyAceStepLatentAudio', inputs: { seconds: 1, batch_size: 1 } },
  '5': { class_type: 'ModelSamplingSD3', inputs: { model: ['1', 0], shift: 5 } },
  '6': {
    class_type: 'KSampler',
    inputs: {
      ...{ model: ['5', 0], positive: ['2', 0], negative: ['3', 0], latent_image: ['4', 0] },
      ...{ seed: 1, steps: 2, cfg: 5, sampler_name: 'euler', scheduler: 'simple', denoise: 1 },
    },
  },
  '7': { class_type: 'VAEDecodeAudio', inputs: { samples: ['6', 0], vae: ['1', 2] } },
  '8': { class_type: 'SaveAudio', inputs: { audio: ['7', 0], filename_prefix: 'song' } },
  '9': { class_type: 'VAEEncodeAudio', inputs: { audio: ['7', 0], vae: ['1', 2] } },
  '10': { class_type: 'SaveLatent', inputs: { samples: ['9', 0], filename_prefix: 'song' } },
});

async function songOf(lyrics: string, strength = 1): Promise<Uint8Array> {
  const { entry } = await server.run(graph(lyrics, strength));
  const failure = entry.status.messages.find(([name]) => name === 'execution_error');
  expect(failure?.[1].exception_message).toBeUndefined();
  const [{ filename }] = entry.outputs['8']!.audio as [{ filename: string }];
  return server.host.files.read(`output/${filename}`);
}

test('a graph makes music of a description and lyrics', { timeout: 120_000 }, async () => {
  const song = await songOf('la la\n[chorus]');
  expect(song.length).toBeGreaterThan(1000);
  expect(await songOf('la')).not.toEqual(song);
});
