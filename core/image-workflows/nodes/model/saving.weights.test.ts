/** Models that are saved, loaded again and run. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { StorageFull } from '#core/host';
import {
  checkpoint,
  distance,
  encoder,
  firstMessage,
  merging,
  network,
  type SavingServer,
  samplingPrompt,
  savingServer,
  use,
} from '#test/support/image-workflows/saving-server.ts';
import { writeTextEncoder, writeUnet } from '#test/support/model-files/tiny-parts.ts';
import { readMetadata } from '../../models/saving/onnx-metadata.ts';

const SLOW = { timeout: 120_000 };
let server: SavingServer;
beforeAll(async () => {
  server = await savingServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

test('loads a saved merged model with an adapter, and a saved merged text encoder', SLOW, async () => {
  const expected = await server.run(samplingPrompt(['model', 0], ['clip', 0], merging));
  const plain = await server.run(samplingPrompt(['a', 0], ['c', 0], merging));
  expect(distance(expected, plain)).toBeGreaterThan(1e-2);
  await server.run({
    ...merging,
    save: use('ModelSave', { model: ['model', 0], filename_prefix: 'diffusion_models/mine' }),
    clips: use('CLIPSave', { clip: ['clip', 0], filename_prefix: 'clip/mine' }),
  });
  expect(await server.everyFile('output')).toEqual([
    'output/clip/mine_clip_l_00001_/config.json',
    'output/clip/mine_clip_l_00001_/model.onnx',
    'output/clip/mine_clip_l_00001_/tokenizer/merges.txt',
    'output/clip/mine_clip_l_00001_/tokenizer/vocab.json',
    'output/diffusion_models/mine_00001_/config.json',
    'output/diffusion_models/mine_00001_/model.onnx',
    'output/diffusion_models/mine_00001_/model.onnx_data',
    'output/diffusion_models/mine_00001_/scheduler_config.json',
    'output/diffusion_models/mine_00001_/vae/config.json',
  ]);
  expect(await server.listed('diffusion_models')).toContain('mine_00001_');
  expect(await server.listed('text_encoders')).toContain('mine_clip_l_00001_');
  const again = samplingPrompt(['saved', 0], ['clip', 0], {
    saved: network('mine_00001_'),
    clip: encoder('mine_clip_l_00001_'),
  });
  expect(distance(await server.run(again), expected)).toBeLessThan(1e-6);
});

test('saves a checkpoint with the kind of its prediction', SLOW, async () => {
  const parts = {
    first: checkpoint('tiny'),
    b: network('two'),
    merged: use('ModelMergeSimple', { model1: ['first', 0], model2: ['b', 0], ratio: 0.5 }),
    model: use('ModelSamplingDiscrete', { model: ['merged', 0], sampling: 'v_prediction', zsnr: true }),
  };
  const expected = await server.run(samplingPrompt(['model', 0], ['first', 1], parts));
  await server.run({
    ...parts,
    save: use('CheckpointSave', {
      ...{ model: ['model', 0], clip: ['first', 1], vae: ['first', 2] },
      filename_prefix: 'checkpoints/sub/mine',
    }),
  });
  const name = 'sub/mine_00001_';
  expect(await server.listed('checkpoints')).toEqual([name, 'tiny']);
  const folder = `output/checkpoints/${name}`;
  expect(await server.everyFile(folder)).toEqual(
    [
      'model_index.json',
      'scheduler/scheduler_config.json',
      'text_encoder/config.json',
      'text_encoder/model.onnx',
      'tokenizer/merges.txt',
      'tokenizer/vocab.json',
      'unet/config.json',
      'unet/model.onnx',
      'unet/model.onnx_data',
      'vae_decoder/config.json',
      'vae_decoder/model.onnx',
      'vae_encoder/model.onnx',
    ].map((name) => `${folder}/${name}`),
  );
  const loaded = samplingPrompt(['saved', 0], ['saved', 1], { saved: checkpoint(name) });
  expect(distance(await server.run(loaded), expected)).toBeLessThan(1e-6);
  expect(
    distance(await server.run(samplingPrompt(['merged', 0], ['first', 1], parts)), expected),
  ).toBeGreaterThan(1e-2);
  // Saving again creates a folder with the next number.
  await server.run({
    saved: checkpoint(name),
    save: use('CheckpointSave', {
      ...{ model: ['saved', 0], clip: ['saved', 1], vae: ['saved', 2] },
      filename_prefix: 'checkpoints/sub/mine',
    }),
  });
  const second = 'sub/mine_00002_';
  expect(await server.listed('checkpoints')).toEqual([name, second, 'tiny']);
  expect(
    distance(
      await server.run(samplingPrompt(['saved', 0], ['saved', 1], { saved: checkpoint(second) })),
      expected,
    ),
  ).toBe(0);
  const [info] = (await (await server.ask('GET', '/experiment/models/checkpoints')).json()) as {
    pathIndex: number;
  }[];
  expect(info).toMatchObject({ name, pathIndex: 1 });
});

test('loads a saved autoencoder', SLOW, async () => {
  const encoded = (parts: Record<string, object>, vae: unknown) => ({
    ...parts,
    image: use('EmptyImage', { width: 16, height: 16, batch_size: 1, color: 0x336699 }),
    latent: use('VAEEncode', { pixels: ['image', 0], vae }),
    probe: use('Probe', { latent: ['latent', 0] }),
  });
  const parts = {
    tiny: checkpoint('tiny'),
    save: use('VAESave', { vae: ['tiny', 2], filename_prefix: 'vae/ComfyUI_vae' }),
  };
  const expected = await server.run(encoded(parts, ['tiny', 2]));
  expect(await server.listed('vae')).toEqual(['ComfyUI_vae_00001_']);
  const saved = await server.run(
    encoded({ vae: use('VAELoader', { vae_name: 'ComfyUI_vae_00001_' }) }, ['vae', 0]),
  );
  expect(distance(saved, expected)).toBe(0);
  const nothing = use('VAELoader', { vae_name: 'pixel_space' });
  const save = use('VAESave', { vae: ['vae', 0], filename_prefix: 'vae/none' });
  expect(await server.failing({ vae: nothing, save })).toContain('no weights that could be saved');
  expect(await server.everyFile('output')).toHaveLength(3);
});

test('a saved graph contains the workflow once, also when it is saved again', SLOW, async () => {
  const save = (name: string) => ({
    a: network(name),
    save: use('ModelSave', { model: ['a', 0], filename_prefix: 'diffusion_models/texts' }),
  });
  const texts = async (name: string) => {
    const path = `output/diffusion_models/${name}/model.onnx`;
    const { size } = (await server.files.stat(path))!;
    return readMetadata(size, (start, end) => server.files.read(path, start, end));
  };
  const more = (id: number) => ({ extra_data: { extra_pnginfo: { workflow: { id } } } });
  await server.run(save('one'), more(1));
  await server.run(save('texts_00001_'), more(2));
  expect((await texts('texts_00001_')).map(({ name }) => name)).toEqual(['prompt', 'workflow']);
  const again = (await texts('texts_00002_')).map(({ name }) => name);
  expect(again.filter((name) => name === 'workflow' || name === 'prompt')).toEqual(['prompt', 'workflow']);
  expect(new Set(again).size).toBe(again.length);
  const metadata = await server.ask('GET', '/view_metadata/diffusion_models?filename=texts_00002_');
  const { prompt, workflow } = (await metadata.json()) as Record<string, string>;
  expect(JSON.parse(workflow!)).toEqual({ id: 2 });
  expect(JSON.parse(prompt!)).toMatchObject({ a: { inputs: { unet_name: 'texts_00001_' } } });
});

test('a model that replaces another of the same name is the one that runs', SLOW, async () => {
  const runNetwork = (name: string) =>
    server.run(samplingPrompt(['a', 0], ['c', 0], { a: network(name), c: encoder('one') }));
  const [first, second] = [await runNetwork('one'), await runNetwork('two')];
  expect(distance(first, second)).toBeGreaterThan(1e-2);
  const save = (name: string) => ({
    a: network(name),
    save: use('ModelSave', { model: ['a', 0], filename_prefix: 'diffusion_models/again' }),
  });
  const saved = () =>
    server.run(samplingPrompt(['saved', 0], ['c', 0], { saved: network('again_00001_'), c: encoder('one') }));
  const folder = 'diffusion_models/again_00001_';
  await server.run(save('one'));
  expect(distance(await saved(), first)).toBeLessThan(1e-6);
  // Deleted on the disk and replaced by a model of the same size.
  await server.files.delete(`output/${folder}`);
  await server.run(save('two'));
  expect(distance(await saved(), second)).toBeLessThan(1e-6);
  // Deleted through the API and replaced on the disk: cached results must not be used.
  expect((await server.ask('DELETE', `/internal/files/output/${folder}`)).status).toBe(204);
  for (const { path } of (await server.files.list('models/diffusion_models/one'))!)
    await server.files.write(
      path.replace('models/diffusion_models/one', `output/${folder}`),
      await server.files.read(path),
    );
  expect(distance(await saved(), first)).toBeLessThan(1e-6);
});

test('a saved text encoder that replaces an open one is the one that runs', SLOW, async () => {
  const runEncoder = (name: string) =>
    server.run(samplingPrompt(['a', 0], ['c', 0], { a: network('one'), c: encoder(name) }));
  const [first, second] = [await runEncoder('one'), await runEncoder('two')];
  expect(distance(first, second)).toBeGreaterThan(1e-3);
  for (const [name, expected] of [
    ['one', first],
    ['two', second],
  ] as const) {
    await server.files.delete('output/clip');
    await server.run({
      c: encoder(name),
      save: use('CLIPSave', { clip: ['c', 0], filename_prefix: 'clip/again' }),
    });
    expect(distance(await runEncoder('again_clip_l_00001_'), expected)).toBeLessThan(1e-6);
  }
});

test('a saved model gets a number that no model of its kind has', SLOW, async () => {
  await writeUnet(server.files, 'models/diffusion_models/taken_00001_');
  await server.run({
    a: network('two'),
    save: use('ModelSave', { model: ['a', 0], filename_prefix: 'diffusion_models/taken' }),
  });
  expect(await server.listed('diffusion_models')).toEqual(['one', 'taken_00001_', 'taken_00002_', 'two']);
  await server.files.delete('models/diffusion_models/taken_00001_');
});

const saving = (prefix: string) => ({
  ...merging,
  save: use('ModelSave', { model: ['model', 0], filename_prefix: prefix }),
});

test('an interrupted save leaves no files', SLOW, async () => {
  let listedDuringSave: string[] = [];
  server.hooks.onWrite = async () => {
    listedDuringSave = await server.listed('diffusion_models');
    await server.ask('POST', '/interrupt');
  };
  const entry = await server.runPrompt(saving('diffusion_models/mine'));
  expect(firstMessage(entry, 'execution_interrupted')).toMatchObject({ node_id: 'save' });
  // The unfinished model was not listed.
  expect(listedDuringSave).toEqual(['one', 'two']);
  expect(await server.everyFile('output')).toEqual([]);
  expect(await server.everyFile('.unfinished')).toEqual([]);
});

test.each([1, 2, 3, 4])('a disk that is full at write %i leaves no files', SLOW, async (at) => {
  let first: number | undefined;
  server.hooks.onWrite = (count) => {
    first ??= count;
    if (count - first + 1 === at) throw new StorageFull('no space left: delete old output');
  };
  expect(await server.failing(saving('diffusion_models/mine'))).toContain('no space left: delete old output');
  expect(await server.everyFile('output')).toEqual([]);
  expect(await server.everyFile('.unfinished')).toEqual([]);
});

test('refuses a prefix outside of the output folder', SLOW, async () => {
  for (const prefix of ['../mine', '/tmp/mine', 'a/../../mine'])
    expect(await server.failing(saving(prefix))).toContain('outside the output folder is not allowed');
  expect(await server.files.names('')).not.toContain('mine_00001_');
});

test('refuses text encoders of another kind of model', SLOW, async () => {
  await writeTextEncoder(server.files, 'models/text_encoders/large', 1280);
  const prompt = {
    first: checkpoint('tiny'),
    clip: encoder('large'),
    save: use('CheckpointSave', {
      ...{ model: ['first', 0], clip: ['clip', 0], vae: ['first', 2] },
      filename_prefix: 'checkpoints/mine',
    }),
  };
  expect(await server.failing(prompt)).toContain(
    'the text encoders (g) are not those of a model of this kind (l)',
  );
  expect(await server.everyFile('output')).toEqual([]);
});
