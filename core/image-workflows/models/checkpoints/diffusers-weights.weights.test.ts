/** Models in folders of diffusers with files of weights, compared with the same model in one file. */
import { beforeAll, describe, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { unetShapes } from '#test/support/model-files/unet-weights.ts';
import {
  autoencoderShapes,
  clipShapes,
  renameWeights,
  weightsFor,
  writeWeights,
} from '#test/support/model-files/weight-files.ts';
import { StoredFiles } from '../../files/stored-files.ts';
import { type FloatTensor, full } from '../../values/tensor.ts';
import { ldmAutoencoder } from '../families/autoencoders/ldm-autoencoder-names.ts';
import { ldmUnet } from '../families/unet/ldm-unet-names.ts';
import type { WeightTable } from '../weight-files/weight-table.ts';
import { diffusersNames, loadCheckpoint, loadDiffusers } from './load-checkpoint.ts';
import type { Checkpoint } from './open-checkpoint.ts';
import { loadNetwork, loadVae } from './standalone-parts.ts';

const SLOW = { timeout: 240_000 };
const FOLDER = 'models/diffusers/tiny';
const never = new AbortController().signal;
const host = await weightsHost();
const unet = weightsFor(unetShapes({ width: 320, context: 768, depths: [1, 0], middle: 1, layers: 2 }));
const clip = weightsFor(clipShapes(12));
const vae = weightsFor(autoencoderShapes(4));

/** The weights under the names that a renaming of tables gives them. */
function renamed(
  weights: Record<string, FloatTensor>,
  rename: (table: WeightTable) => WeightTable,
): Record<string, FloatTensor> {
  const names = Object.keys(weights);
  const stored = names.map((name, start) => {
    return [name, { file: 'x', type: 'F32', shape: weights[name]!.shape, start, end: start }] as const;
  });
  return Object.fromEntries(
    [...rename(new Map(stored))].map(([name, { shape, start }]) => [
      name,
      { shape: [...shape], data: weights[names[start]!]!.data },
    ]),
  );
}

beforeAll(async () => {
  const { files } = host;
  const network = Object.entries(renamed(unet, ldmUnet));
  const half = Math.ceil(network.length / 2);
  const set = (number: number) => `${FOLDER}/unet/diffusion_pytorch_model-0000${number}-of-00002.safetensors`;
  await writeWeights(files, set(1), Object.fromEntries(network.slice(0, half)));
  await writeWeights(files, set(2), Object.fromEntries(network.slice(half)));
  await writeWeights(files, `${FOLDER}/text_encoder/model.safetensors`, clip);
  const autoencoder = renamed(vae, ldmAutoencoder);
  await writeWeights(files, `${FOLDER}/vae/diffusion_pytorch_model.fp16.safetensors`, autoencoder);
  await files.write(`${FOLDER}/model_index.json`, new TextEncoder().encode('{}'));
  const single = {
    ...renameWeights(unet, (name) => `model.diffusion_model.${name}`),
    ...renameWeights(clip, (name) => `cond_stage_model.transformer.${name}`),
    ...renameWeights(vae, (name) => `first_stage_model.${name}`),
  };
  await writeWeights(files, 'models/checkpoints/single.safetensors', single);
});

const predicted = async ({ model }: Pick<Checkpoint, 'model'>) => {
  const prompt = { tensor: full([1, 77, 768], 0.3), options: {} };
  const [output] = await model.network.predict(full([1, 4, 8, 8], 0.5), 500, [prompt], never);
  return [...output!.data];
};
const others = async ({ clip: encoder, vae: autoencoder }: Checkpoint) => [
  ...(await encoder.encode('a cat', never)).tensor.data,
  ...(await autoencoder.decode(full([1, 4, 4, 4], 0.5), never)).data,
];

describe('a folder of diffusers with files of weights', () => {
  test('is listed once, and gives the numbers of the same model in one file', SLOW, async () => {
    expect(await diffusersNames(new StoredFiles(host))).toEqual(['tiny']);
    const folder = await loadDiffusers(host, 'tiny');
    const [network, rest] = [await predicted(folder), await others(folder)];
    const file = await loadCheckpoint(host, 'single.safetensors');
    expect(network).toEqual(await predicted(file));
    expect(rest).toEqual(await others(file));
  });

  test('predicts what its scheduler says', SLOW, async () => {
    const scheduler = { _class_name: 'DDIMScheduler', beta_schedule: 'scaled_linear', beta_start: 0.00085 };
    const bytes = JSON.stringify({ ...scheduler, beta_end: 0.012, prediction_type: 'v_prediction' });
    await host.files.write(`${FOLDER}/scheduler/scheduler_config.json`, new TextEncoder().encode(bytes));
    const { model } = await loadDiffusers(host, 'tiny');
    expect(model.configs?.scheduler.prediction_type).toBe('v_prediction');
    await host.files.delete(`${FOLDER}/scheduler`);
  });

  test('has components that load alone', SLOW, async () => {
    const { files } = host;
    for (const [part, from] of [
      ['diffusion_models/own', 'unet/diffusion_pytorch_model-00001-of-00002.safetensors'],
      ['diffusion_models/own', 'unet/diffusion_pytorch_model-00002-of-00002.safetensors'],
      ['vae/own', 'vae/diffusion_pytorch_model.fp16.safetensors'],
    ] as const)
      await files.write(
        `models/${part}/${from.slice(from.indexOf('/') + 1)}`,
        await files.read(`${FOLDER}/${from}`),
      );
    const model = await loadNetwork(host, 'own/diffusion_pytorch_model-00001-of-00002.safetensors');
    expect(await predicted({ model })).toEqual(
      await predicted(await loadCheckpoint(host, 'single.safetensors')),
    );
    expect((await loadVae(host, 'own/diffusion_pytorch_model.fp16.safetensors')).latentChannels).toBe(4);
  });

  test('names the encoder that does not fit, and a missing autoencoder', SLOW, async () => {
    const copy = 'models/diffusers/other';
    for (const number of [1, 2]) {
      const name = `unet/diffusion_pytorch_model-0000${number}-of-00002.safetensors`;
      await host.files.write(`${copy}/${name}`, await host.files.read(`${FOLDER}/${name}`));
    }
    const { vae: none } = await loadDiffusers(host, 'other');
    await expect(none.decode(full([1, 4, 2, 2], 0), never)).rejects.toThrow(
      'no autoencoder in its folder vae',
    );
    const encoder = weightsFor({ 'encoder.block.0.layer.0.SelfAttention.k.weight': [768, 2] });
    await writeWeights(host.files, `${copy}/text_encoder/model.safetensors`, encoder);
    await expect(loadDiffusers(host, 'other')).rejects.toThrow(
      'other/text_encoder holds the text encoder T5-base, which Stable Diffusion does not take here',
    );
  });
});
