/** Models that are saved, loaded again and run. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type FilePath, type Files, type FileWriter, StorageFull } from '#core/host';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { latentProbe } from '#test/support/image-workflows/latent-probe.ts';
import { writeWithWeights } from '#test/support/model-files/graph-weights.ts';
import { writeTinyDiffusion } from '#test/support/model-files/tiny-diffusion.ts';
import { writeTextEncoder, writeUnet } from '#test/support/model-files/tiny-parts.ts';
import { readMetadata } from '../../models/saving/onnx-metadata.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { writeSafetensors } from '../latent/safetensors.ts';

const SLOW = { timeout: 120_000 };
let server: ReturnType<typeof imageServer>;
let remove: () => Promise<void>;
/** Of the disk, as they are without what tests do to them. */
let files: Files;
const probe = latentProbe();
/** What a test does to each write of a large file: its number, and the file. */
let onWrite: ((count: number, path: FilePath) => unknown) | undefined;

/** A disk that tests look at, and that fails where they say so. */
function watched(own: Files): Files {
  let count = 0;
  return Object.create(own, {
    create: {
      value: async (path: FilePath): Promise<FileWriter> => {
        const writer = await own.create(path);
        return {
          ...writer,
          async write(start, bytes) {
            await onWrite?.(++count, path);
            await writer.write(start, bytes);
          },
        };
      },
    },
  }) as Files;
}

beforeAll(async () => {
  const made = await onnxHost('here');
  remove = made.remove;
  files = made.host.files;
  const times = (factor: number) => (_: string, numbers: Float32Array) =>
    numbers.map((value) => (numbers.length === 1 ? value : value * factor));
  const [networks, encoders] = ['models/diffusion_models', 'models/text_encoders'];
  await writeUnet(files, `${networks}/one`);
  await writeTextEncoder(files, `${encoders}/one`);
  await writeWithWeights(files, `${networks}/one`, `${networks}/two`, times(1.5));
  await writeWithWeights(files, `${encoders}/one`, `${encoders}/two`, times(1.5));
  await writeTinyDiffusion(files, 'models/checkpoints/whole');
  for (const [from, to] of [
    [`${networks}/one`, 'unet'],
    [`${encoders}/one`, 'text_encoder'],
  ] as const)
    for (const { path } of (await files.list(from))!)
      await files.write(path.replace(from, `models/checkpoints/whole/${to}`), await files.read(path));
  const factor = (shape: number[]) => ({ shape, data: new Float32Array(4).fill(0.2) });
  await files.write(
    'models/loras/keys.safetensors',
    writeSafetensors(
      {
        'unet.down_blocks.0.attentions.0.transformer_blocks.0.attn2.to_k.lora_A.weight': factor([1, 4]),
        'unet.down_blocks.0.attentions.0.transformer_blocks.0.attn2.to_k.lora_B.weight': factor([4, 1]),
      },
      {},
    ),
  );
  server = imageServer({ host: { ...made.host, files: watched(files) }, nodes: [probe.node] });
});
afterEach(async () => {
  onWrite = undefined;
  await files.delete('output');
});
afterAll(async () => {
  await server.close();
  await remove();
});

const use = (class_type: string, inputs: Record<string, unknown>) => ({ class_type, inputs });
const network = (name: string) => use('UNETLoader', { unet_name: name, weight_dtype: 'default' });
const encoder = (name: string) => use('CLIPLoader', { clip_name: name, type: 'stable_diffusion' });
const checkpoint = (name: string) => use('CheckpointLoaderSimple', { ckpt_name: name });
/** `model` and `clip`, whatever they are made of: links. */
const picture = (model: unknown, clip: unknown, parts: Record<string, object>) => ({
  ...parts,
  cat: use('CLIPTextEncode', { text: 'a cat', clip }),
  empty: use('EmptyLatentImage', { width: 64, height: 64, batch_size: 1 }),
  sampler: use('KSampler', {
    ...{ model, positive: ['cat', 0], negative: ['cat', 0], latent_image: ['empty', 0] },
    ...{ seed: 5, steps: 2, cfg: 1, sampler_name: 'euler', scheduler: 'normal', denoise: 1 },
  }),
  probe: use('Probe', { latent: ['sampler', 0] }),
});
const merging = {
  ...{ a: network('one'), b: network('two'), c: encoder('one'), d: encoder('two') },
  merged: use('ModelMergeSimple', { model1: ['a', 0], model2: ['b', 0], ratio: 0.3 }),
  clip: use('CLIPMergeSimple', { clip1: ['c', 0], clip2: ['d', 0], ratio: 0.6 }),
  model: use('LoraLoaderModelOnly', {
    ...{ model: ['merged', 0], lora_name: 'keys.safetensors', strength_model: 0.7 },
  }),
};

const told = (entry: Awaited<ReturnType<typeof server.run>>['entry'], kind: string) =>
  entry.status.messages.find(([name]) => name === kind)?.[1];
async function run(prompt: object, more?: Record<string, unknown>): Promise<FloatTensor> {
  probe.take();
  const { entry } = await server.run(prompt, more);
  expect(told(entry, 'execution_error')?.exception_message).toBeUndefined();
  return probe.take()?.samples as FloatTensor;
}
const failing = async (prompt: object) =>
  String(told((await server.run(prompt)).entry, 'execution_error')?.exception_message);
const listed = async (folder: string): Promise<string[]> =>
  (await server.ask('GET', `/models/${folder}`)).json() as Promise<string[]>;
const distance = (a: FloatTensor, b: FloatTensor) =>
  a.data.reduce((most, value, i) => Math.max(most, Math.abs(value - b.data[i]!)), 0);
async function everyFile(folder: string): Promise<string[]> {
  const found = await Promise.all(
    ((await files.list(folder)) ?? []).map(async ({ path, kind }) =>
      kind === 'file' ? [path] : everyFile(path),
    ),
  );
  return found.flat().sort();
}

test('a merged model with an adapter, and a merged text encoder, come back as they were', SLOW, async () => {
  const expected = await run(picture(['model', 0], ['clip', 0], merging));
  const plain = await run(picture(['a', 0], ['c', 0], merging));
  expect(distance(expected, plain)).toBeGreaterThan(1e-2);
  await run({
    ...merging,
    save: use('ModelSave', { model: ['model', 0], filename_prefix: 'diffusion_models/mine' }),
    clips: use('CLIPSave', { clip: ['clip', 0], filename_prefix: 'clip/mine' }),
  });
  expect(await everyFile('output')).toEqual([
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
  expect(await listed('diffusion_models')).toContain('mine_00001_');
  expect(await listed('text_encoders')).toContain('mine_clip_l_00001_');
  const again = picture(['saved', 0], ['clip', 0], {
    saved: network('mine_00001_'),
    clip: encoder('mine_clip_l_00001_'),
  });
  expect(distance(await run(again), expected)).toBeLessThan(1e-6);
});

test('a whole checkpoint, with how its answers are read', SLOW, async () => {
  const whole = {
    first: checkpoint('whole'),
    b: network('two'),
    merged: use('ModelMergeSimple', { model1: ['first', 0], model2: ['b', 0], ratio: 0.5 }),
    model: use('ModelSamplingDiscrete', { model: ['merged', 0], sampling: 'v_prediction', zsnr: true }),
  };
  const expected = await run(picture(['model', 0], ['first', 1], whole));
  await run({
    ...whole,
    save: use('CheckpointSave', {
      ...{ model: ['model', 0], clip: ['first', 1], vae: ['first', 2] },
      filename_prefix: 'checkpoints/sub/mine',
    }),
  });
  const name = 'sub/mine_00001_';
  expect(await listed('checkpoints')).toEqual([name, 'whole']);
  const folder = `output/checkpoints/${name}`;
  expect(await everyFile(folder)).toEqual(
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
    ].map((one) => `${folder}/${one}`),
  );
  const loaded = picture(['saved', 0], ['saved', 1], { saved: checkpoint(name) });
  expect(distance(await run(loaded), expected)).toBeLessThan(1e-6);
  expect(distance(await run(picture(['merged', 0], ['first', 1], whole)), expected)).toBeGreaterThan(1e-2);
  // The second one gets the next number, and the first is not touched.
  await run({
    saved: checkpoint(name),
    save: use('CheckpointSave', {
      ...{ model: ['saved', 0], clip: ['saved', 1], vae: ['saved', 2] },
      filename_prefix: 'checkpoints/sub/mine',
    }),
  });
  const second = 'sub/mine_00002_';
  expect(await listed('checkpoints')).toEqual([name, second, 'whole']);
  expect(
    distance(await run(picture(['saved', 0], ['saved', 1], { saved: checkpoint(second) })), expected),
  ).toBe(0);
  const [info] = (await (await server.ask('GET', '/experiment/models/checkpoints')).json()) as {
    pathIndex: number;
  }[];
  expect(info).toMatchObject({ name, pathIndex: 1 });
});

test('an autoencoder works as before', SLOW, async () => {
  const encoded = (parts: Record<string, object>, vae: unknown) => ({
    ...parts,
    image: use('EmptyImage', { width: 16, height: 16, batch_size: 1, color: 0x336699 }),
    latent: use('VAEEncode', { pixels: ['image', 0], vae }),
    probe: use('Probe', { latent: ['latent', 0] }),
  });
  const parts = {
    whole: checkpoint('whole'),
    save: use('VAESave', { vae: ['whole', 2], filename_prefix: 'vae/ComfyUI_vae' }),
  };
  const expected = await run(encoded(parts, ['whole', 2]));
  expect(await listed('vae')).toEqual(['ComfyUI_vae_00001_']);
  const saved = await run(encoded({ vae: use('VAELoader', { vae_name: 'ComfyUI_vae_00001_' }) }, ['vae', 0]));
  expect(distance(saved, expected)).toBe(0);
  const nothing = use('VAELoader', { vae_name: 'pixel_space' });
  const save = use('VAESave', { vae: ['vae', 0], filename_prefix: 'vae/none' });
  expect(await failing({ vae: nothing, save })).toContain('no weights that could be saved');
  expect(await everyFile('output')).toHaveLength(3);
});

test('the graph carries the workflow, once, also when it was saved before', SLOW, async () => {
  const save = (name: string) => ({
    a: network(name),
    save: use('ModelSave', { model: ['a', 0], filename_prefix: 'diffusion_models/told' }),
  });
  const texts = async (name: string) => {
    const path = `output/diffusion_models/${name}/model.onnx`;
    const { size } = (await files.stat(path))!;
    return readMetadata(size, (start, end) => files.read(path, start, end));
  };
  const more = (id: number) => ({ extra_data: { extra_pnginfo: { workflow: { id } } } });
  await run(save('one'), more(1));
  await run(save('told_00001_'), more(2));
  expect((await texts('told_00001_')).map(({ name }) => name)).toEqual(['prompt', 'workflow']);
  const again = (await texts('told_00002_')).map(({ name }) => name);
  expect(again.filter((name) => name === 'workflow' || name === 'prompt')).toEqual(['prompt', 'workflow']);
  expect(new Set(again).size).toBe(again.length);
  const metadata = await server.ask('GET', '/view_metadata/diffusion_models?filename=told_00002_');
  const { prompt, workflow } = (await metadata.json()) as Record<string, string>;
  expect(JSON.parse(workflow!)).toEqual({ id: 2 });
  expect(JSON.parse(prompt!)).toMatchObject({ a: { inputs: { unet_name: 'told_00001_' } } });
});

test('a model in the place of another of the same name is the one that runs', SLOW, async () => {
  const made = (name: string) => run(picture(['a', 0], ['c', 0], { a: network(name), c: encoder('one') }));
  const [one, two] = [await made('one'), await made('two')];
  expect(distance(one, two)).toBeGreaterThan(1e-2);
  const save = (name: string) => ({
    a: network(name),
    save: use('ModelSave', { model: ['a', 0], filename_prefix: 'diffusion_models/again' }),
  });
  const saved = () =>
    run(picture(['saved', 0], ['c', 0], { saved: network('again_00001_'), c: encoder('one') }));
  const folder = 'diffusion_models/again_00001_';
  await run(save('one'));
  expect(distance(await saved(), one)).toBeLessThan(1e-6);
  // By hand, and saved again: as many bytes.
  await files.delete(`output/${folder}`);
  await run(save('two'));
  expect(distance(await saved(), two)).toBeLessThan(1e-6);
  // By the server, and put there again: results that are kept do not outlive it.
  expect((await server.ask('DELETE', `/internal/files/output/${folder}`)).status).toBe(204);
  for (const { path } of (await files.list('models/diffusion_models/one'))!)
    await files.write(
      path.replace('models/diffusion_models/one', `output/${folder}`),
      await files.read(path),
    );
  expect(distance(await saved(), one)).toBeLessThan(1e-6);
});

test('a text encoder saved in the place of one that is open is the one that reads', SLOW, async () => {
  const made = (name: string) => run(picture(['a', 0], ['c', 0], { a: network('one'), c: encoder(name) }));
  const [one, two] = [await made('one'), await made('two')];
  expect(distance(one, two)).toBeGreaterThan(1e-3);
  for (const [name, expected] of [
    ['one', one],
    ['two', two],
  ] as const) {
    await files.delete('output/clip');
    await run({
      c: encoder(name),
      save: use('CLIPSave', { clip: ['c', 0], filename_prefix: 'clip/again' }),
    });
    expect(distance(await made('again_clip_l_00001_'), expected)).toBeLessThan(1e-6);
  }
});

test('a model gets a number that none of its kind has', SLOW, async () => {
  await writeUnet(files, 'models/diffusion_models/taken_00001_');
  await run({
    a: network('two'),
    save: use('ModelSave', { model: ['a', 0], filename_prefix: 'diffusion_models/taken' }),
  });
  expect(await listed('diffusion_models')).toEqual(['one', 'taken_00001_', 'taken_00002_', 'two']);
  await files.delete('models/diffusion_models/taken_00001_');
});

const saving = (prefix: string) => ({
  ...merging,
  save: use('ModelSave', { model: ['model', 0], filename_prefix: prefix }),
});

test('what was interrupted leaves nothing', SLOW, async () => {
  let half: string[] = [];
  onWrite = async () => {
    half = await listed('diffusion_models');
    await server.ask('POST', '/interrupt');
  };
  const { entry } = await server.run(saving('diffusion_models/mine'));
  expect(told(entry, 'execution_interrupted')).toMatchObject({ node_id: 'save' });
  // Nor was it seen while it grew.
  expect(half).toEqual(['one', 'two']);
  expect(await everyFile('output')).toEqual([]);
  expect(await everyFile('.unfinished')).toEqual([]);
});

test.each([1, 2, 3, 4])('a disk that is full at write %i leaves nothing', SLOW, async (at) => {
  let first: number | undefined;
  onWrite = (count) => {
    first ??= count;
    if (count - first + 1 === at) throw new StorageFull('no space left: delete old output');
  };
  expect(await failing(saving('diffusion_models/mine'))).toContain('no space left: delete old output');
  expect(await everyFile('output')).toEqual([]);
  expect(await everyFile('.unfinished')).toEqual([]);
});

test('a prefix that leaves the output is refused', SLOW, async () => {
  for (const prefix of ['../mine', '/tmp/mine', 'a/../../mine'])
    expect(await failing(saving(prefix))).toContain('outside the output folder is not allowed');
  expect(await files.names('')).not.toContain('mine_00001_');
});

test('text encoders of another kind of model are refused', SLOW, async () => {
  await writeTextEncoder(files, 'models/text_encoders/large', 1280);
  const prompt = {
    first: checkpoint('whole'),
    clip: encoder('large'),
    save: use('CheckpointSave', {
      ...{ model: ['first', 0], clip: ['clip', 0], vae: ['first', 2] },
      filename_prefix: 'checkpoints/mine',
    }),
  };
  expect(await failing(prompt)).toContain('the text encoders (g) are not those of a model of this kind (l)');
  expect(await everyFile('output')).toEqual([]);
});

test('an adapter taken from a difference gives the second model of the first', SLOW, async () => {
  const both = {
    ...{ a: network('one'), b: network('two'), c: encoder('one'), d: encoder('two') },
    model: use('ModelMergeSubtract', { model1: ['b', 0], model2: ['a', 0], multiplier: 1 }),
    clip: use('CLIPMergeSubtract', { clip1: ['d', 0], clip2: ['c', 0], multiplier: 1 }),
  };
  const expected = await run(picture(['b', 0], ['d', 0], both));
  const plain = await run(picture(['a', 0], ['c', 0], both));
  const largest = expected.data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  for (const [index, lora_type] of ['standard', 'full_diff'].entries()) {
    await run({
      ...both,
      save: use('LoraSave', {
        ...{ model_diff: ['model', 0], text_encoder_diff: ['clip', 0], rank: 4, bias_diff: true },
        ...{ lora_type, filename_prefix: 'loras/taken' },
      }),
    });
    const name = `taken_0000${index + 1}_.safetensors`;
    expect(await listed('loras')).toContain(name);
    const adapted = {
      ...both,
      lora: use('LoraLoader', {
        ...{ model: ['a', 0], clip: ['c', 0], lora_name: name, strength_model: 1, strength_clip: 1 },
      }),
    };
    const given = await run(picture(['lora', 0], ['lora', 1], adapted));
    expect(distance(given, expected) / largest).toBeLessThan(1e-3);
    expect(distance(plain, expected) / largest).toBeGreaterThan(1e-2);
    const metadata = await server.ask('GET', `/view_metadata/loras?filename=${name}`);
    expect(JSON.parse(((await metadata.json()) as { prompt: string }).prompt)).toHaveProperty('save');
  }
});

test('encoders are known by their names in files of others', SLOW, async () => {
  const answers: FloatTensor[] = [];
  const module = 'text_model.encoder.layers.1.self_attn.q_proj';
  for (const name of [
    `lora_te_${module.replaceAll('.', '_')}`,
    `text_encoders.clip_l.transformer.${module}`,
  ]) {
    const factor = (shape: number[]) => ({ shape, data: new Float32Array(4).fill(0.2) });
    const tensors = {
      [`${name}.lora_up.weight`]: factor([4, 1]),
      [`${name}.lora_down.weight`]: factor([1, 4]),
    };
    const lora_name = `text${answers.length}.safetensors`;
    await files.write(`models/loras/${lora_name}`, writeSafetensors(tensors, {}));
    const lora = use('LoraLoader', {
      ...{ model: ['a', 0], clip: ['c', 0], lora_name, strength_model: 1, strength_clip: 1 },
    });
    answers.push(await run(picture(['a', 0], ['lora', 1], { ...merging, lora })));
  }
  expect(distance(answers[1]!, answers[0]!)).toBe(0);
  const plain = await run(picture(['a', 0], ['c', 0], merging));
  expect(distance(plain, answers[0]!)).toBeGreaterThan(1e-3);
});

test('nothing to take an adapter from is said', SLOW, async () => {
  const save = (inputs: object) =>
    use('LoraSave', {
      ...{ rank: 4, bias_diff: true, lora_type: 'standard', filename_prefix: 'loras/none' },
      ...inputs,
    });
  expect(await failing({ save: save({}) })).toContain('connect model_diff');
  const same = {
    a: network('one'),
    none: use('ModelMergeSubtract', { model1: ['a', 0], model2: ['a', 0], multiplier: 1 }),
    save: save({ model_diff: ['none', 0] }),
  };
  expect(await failing(same)).toContain('the difference is zero in all weights');
  expect(await everyFile('output')).toEqual([]);
});

test('old configuration files decide the prediction and the layer', SLOW, async () => {
  const loaded = (config_name: string) => use('CheckpointLoader', { config_name, ckpt_name: 'whole' });
  const made = (parts: Record<string, object>, model: unknown = ['first', 0], clip: unknown = ['first', 1]) =>
    run(picture(model, clip, parts));
  const plain = await made({ first: checkpoint('whole') });
  for (const name of ['v1-inference.yaml', 'v2-inpainting-inference.yaml'])
    expect(distance(await made({ first: loaded(name) }), plain)).toBe(0);
  const velocity = use('ModelSamplingDiscrete', {
    model: ['first', 0],
    sampling: 'v_prediction',
    zsnr: false,
  });
  const asVelocity = await made({ first: checkpoint('whole'), velocity }, ['velocity', 0]);
  expect(distance(asVelocity, plain)).toBeGreaterThan(1e-2);
  expect(distance(await made({ first: loaded('v2-inference-v.yaml') }), asVelocity)).toBe(0);
  const earlier = use('CLIPSetLastLayer', { clip: ['first', 1], stop_at_clip_layer: -2 });
  const skipped = await made({ first: checkpoint('whole'), earlier }, ['first', 0], ['earlier', 0]);
  expect(distance(skipped, plain)).toBeGreaterThan(1e-2);
  for (const name of ['anything_v3.yaml', 'v1-inference_clip_skip_2_fp16.yaml'])
    expect(distance(await made({ first: loaded(name) }), skipped)).toBe(0);
});
