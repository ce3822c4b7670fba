import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Host, LocatedFile } from '#core/host';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { type Hub, startHub } from '#test/support/local-models/hub.ts';
import { collect, registryUnderTest } from '#test/support/local-models/registry-host.ts';
import { findInCatalogue } from '../catalogue/catalogue.ts';
import { parseName } from '../names/model-name.ts';
import { refuseTooLarge } from './refuse-too-large.ts';
import { hubSource } from './sources/hub-source.ts';

const gpu = { name: 'ada', type: 'webgpu' };
const hostWith = (platform: 'tab' | 'node', gpus: object[]) =>
  ({ ...createTestHost({ platform }), machine: { gpus: async () => gpus } }) as unknown as Host;
/** The sizes that the pages of the repositories state. */
const file = (path: string, size: number) => ({ role: 'part', name: path, path, size }) as LocatedFile;
const gguf = (size: number) => ({ role: 'weights', name: 'model.gguf', size }) as LocatedFile;
const sdxl = [
  file('unet/model.onnx', 7.29e6),
  file('unet/model.onnx_data', 10.3e9),
  file('text_encoder_2/model.onnx', 1.04e6),
  file('text_encoder_2/model.onnx_data', 2.78e9),
  file('model_index.json', 685),
];

it('a tab without a GPU refuses a model that it cannot open, before any download', async () => {
  await expect(refuseTooLarge(hostWith('tab', []), 'sdxl-turbo', sdxl)).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining(
      'sdxl-turbo cannot be opened here: its unet has 10.3 GB, without a GPU a tab holds 4 GB',
    ),
  });
});

it('a tab refuses a language model that its engine cannot open, with and without a GPU', async () => {
  for (const gpus of [[], [gpu]])
    await expect(refuseTooLarge(hostWith('tab', gpus), 'qwen3:8b', [gguf(5.2e9)])).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(
        'qwen3:8b cannot be opened here: it has 5.2 GB, and a tab holds language models of up to 3.6 GB',
      ),
    });
});

it('all parts of a split language model count', async () => {
  const parts = [gguf(3e9), { role: 'part', size: 2e9 } as LocatedFile];
  await expect(refuseTooLarge(hostWith('tab', [gpu]), 'big', parts)).rejects.toThrow(/it has 5 GB/);
});

it('a tab without a GPU refuses a file of weights that it cannot open', async () => {
  const weights = { ...file('sdxl.safetensors', 6.9e9), role: 'weights' } as LocatedFile;
  await expect(refuseTooLarge(hostWith('tab', []), 'sdxl', [weights])).rejects.toThrow(
    'its sdxl.safetensors has 6.9 GB, without a GPU a tab holds 4 GB',
  );
});

it.each([
  ['with a GPU', hostWith('tab', [gpu]), sdxl],
  ['in Node, where one may be added', hostWith('node', []), sdxl],
  [
    'for a model that fits',
    hostWith('tab', []),
    [file('unet/model.onnx', 1.7e9), file('text_encoder/model.onnx', 3e9)],
  ],
  ['of one file without a path', hostWith('tab', []), [{ ...file('x', 5e9), path: undefined } as never]],
  ['in GGUF in Node', hostWith('node', []), [gguf(5e9)]],
  ['in GGUF that fits', hostWith('tab', []), [gguf(3e9)]],
])('no model is refused %s', async (_, host, files) => {
  await expect(refuseTooLarge(host, 'x', files)).resolves.toBeUndefined();
});

const bytes = (text: string) => new TextEncoder().encode(text);
let hub: Hub;
beforeAll(async () => {
  const folders = ['unet', 'text_encoder', 'text_encoder_2', 'text_encoder_3', 'vae_decoder', 'vae_encoder'];
  const files = Object.fromEntries(
    folders.flatMap((folder) => [
      [`${folder}/config.json`, bytes('{}')],
      [`${folder}/model.onnx`, bytes(folder)],
      [`${folder}/model.onnx.data`, bytes(`${folder} data`)],
    ]),
  );
  hub = await startHub({
    'TensorStack/stable-diffusion-3.5-medium-onnx': {
      files: {
        ...files,
        'model_index.json': bytes('{"_class_name":"StableDiffusion3Pipeline"}'),
        'scheduler/scheduler_config.json': bytes('{}'),
        'tokenizer/vocab.json': bytes('{}'),
        'tokenizer/model.onnx': bytes('a graph that makes tokens'),
        'tokenizer_3/tokenizer.json': bytes('{}'),
        'README.md': bytes('x'),
      },
    },
  });
});
afterAll(() => hub.close());

it('the repository of Stable Diffusion 3.5 names its transformer unet, and its third text encoder is left out', async () => {
  const [source] = findInCatalogue(parseName('stable-diffusion-3.5:medium'))!.sources;
  if (!source || !('hub' in source)) throw new Error('it has no repository');
  const { hub: repository, ...rest } = source;
  const { host, registry } = registryUnderTest({ settings: { HF_ENDPOINT: hub.endpoint } });
  const offer = await hubSource(host, { repository, ...rest }).find(neverAborted);
  expect(offer!.files.map(({ role, path }) => `${role} ${path}`)).toEqual([
    'weights unet/model.onnx',
    'config unet/config.json',
    'part unet/model.onnx.data',
    ...['text_encoder', 'text_encoder_2', 'vae_decoder', 'vae_encoder'].flatMap((folder) => [
      `config ${folder}/config.json`,
      `part ${folder}/model.onnx`,
      `part ${folder}/model.onnx.data`,
    ]),
    'config model_index.json',
    'config scheduler/scheduler_config.json',
    'config tokenizer/vocab.json',
  ]);
  // The short name starts the download too, and its bytes are no graph.
  const { lines } = await collect(
    registry.pull({ model: 'stable-diffusion-3.5:medium', insecure: false }, neverAborted),
  );
  expect(lines.map(({ status }) => status)).toContain('licence: stability-ai-community-license-agreement');
  expect(hub.requests.some(({ path }) => path.includes('text_encoder_3'))).toBe(false);
});
