/** Models in files of weights that are saved as one file, loaded again and run. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import type { TestHost } from '#test/support/host/test-host.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { checkpoint, firstMessage, use } from '#test/support/image-workflows/saving-server.ts';
import { unetShapes } from '#test/support/model-files/unet-weights.ts';
import {
  autoencoderShapes,
  clipShapes,
  renameWeights,
  weightsFor,
  writeWeights,
} from '#test/support/model-files/weight-files.ts';
import { loadCheckpoint } from '../../models/checkpoints/load-checkpoint.ts';
import { loadEncoders } from '../../models/checkpoints/load-encoders.ts';
import type { Checkpoint } from '../../models/checkpoints/open-checkpoint.ts';
import { loadNetwork, loadVae } from '../../models/checkpoints/standalone-parts.ts';
import { graphsOf } from '../../models/graphs/graph-registry.ts';
import { withModelLocations } from '../../models/model-files/located-models.ts';
import { readWeightFile } from '../../models/weight-files/read-weight-file.ts';
import type { ClipModel } from '../../values/clip-model.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { VaeModel } from '../../values/image-models.ts';
import { type FloatTensor, full } from '../../values/tensor.ts';

const SLOW = { timeout: 240_000 };
const never = new AbortController().signal;
let host: TestHost;
let remove: () => Promise<void>;
let server: ReturnType<typeof imageServer>;
let weights: Record<string, FloatTensor>;

const prefixed = (prefix: string, part: Record<string, FloatTensor>) =>
  renameWeights(part, (name) => prefix + name);

beforeAll(async () => {
  ({ host, remove } = await onnxHost('here'));
  server = imageServer({ host });
  weights = {
    ...prefixed(
      'model.diffusion_model.',
      weightsFor(unetShapes({ width: 320, context: 768, depths: [1], middle: 0 })),
    ),
    ...prefixed('cond_stage_model.transformer.', weightsFor(clipShapes(12))),
    ...prefixed('first_stage_model.', weightsFor(autoencoderShapes(4))),
    betas: full([4], 0.5),
  };
  await writeWeights(host.files, 'models/checkpoints/first.safetensors', weights);
  const second = Object.fromEntries(
    Object.entries(weights).map(([name, { shape, data }]) => [
      name,
      { shape, data: data.map((value) => value * 1.25 + 0.01) },
    ]),
  );
  await writeWeights(host.files, 'models/checkpoints/second.safetensors', second);
});
afterAll(async () => {
  await server.close();
  await graphsOf(host).unload();
  await remove();
});

const PARTS = {
  a: checkpoint('first.safetensors'),
  b: checkpoint('second.safetensors'),
  model: use('ModelMergeSimple', { model1: ['a', 0], model2: ['b', 0], ratio: 0.25 }),
  clip: use('CLIPMergeSimple', { clip1: ['a', 1], clip2: ['b', 1], ratio: 0.25 }),
};

async function run(prompt: object): Promise<string | undefined> {
  const { entry } = await server.run(prompt, { extra_data: { extra_pnginfo: { workflow: { id: 7 } } } });
  return firstMessage(entry as never, 'execution_error')?.exception_message as string | undefined;
}

const predicted = async ({ network }: DiffusionModel) =>
  (
    await network.predict(
      full([1, 4, 8, 8], 0.5),
      500,
      [{ tensor: full([1, 77, 768], 0.3), options: {} }],
      never,
    )
  )[0]!;
const encoded = async (clip: ClipModel) => (await clip.encode('a cat', never)).tensor;
const seen = (vae: VaeModel) => vae.encode(full([1, 16, 16, 3], 0.7), never);
const answers = async ({ model, clip, vae }: Checkpoint) =>
  [await predicted(model), await encoded(clip), await seen(vae)].map(({ data }) => [...data]);

const located = () => withModelLocations(host);
const texts = async (folder: string, name: string) =>
  (await (await server.ask('GET', `/view_metadata/${folder}?filename=${name}`)).json()) as Record<
    string,
    string
  >;

test('a merged checkpoint has the names of the first, and gives the numbers of the merge', SLOW, async () => {
  const save = use('CheckpointSave', {
    ...{ model: ['model', 0], clip: ['clip', 0], vae: ['a', 2] },
    filename_prefix: 'checkpoints/sub/merged',
  });
  expect(await run({ ...PARTS, save })).toBeUndefined();
  const name = 'sub/merged_00001_.safetensors';
  expect(await (await server.ask('GET', '/models/checkpoints')).json()).toContain(name);
  const { table } = await readWeightFile(host.files, `output/checkpoints/${name}`);
  expect(Object.fromEntries([...table].map(([key, { shape }]) => [key, shape]))).toEqual(
    Object.fromEntries(Object.entries(weights).map(([key, { shape }]) => [key, shape])),
  );
  const merged = Object.fromEntries(
    Object.entries(weights).map(([key, { shape, data }]) => {
      const isMerged = /^(model|cond_stage_model)\./.test(key);
      const value = (x: number) => 0.25 * x + 0.75 * Math.fround(x * 1.25 + 0.01);
      return [key, { shape, data: isMerged ? data.map(value) : data }];
    }),
  );
  await writeWeights(host.files, 'models/checkpoints/expected.safetensors', merged);
  const expected = await answers(await loadCheckpoint(located(), 'expected.safetensors'));
  const found = await answers(await loadCheckpoint(located(), name));
  for (const [part, numbers] of found.entries())
    for (const [at, number] of numbers.entries()) expect(number).toBeCloseTo(expected[part]![at]!, 4);
  const { prompt, workflow, ...spec } = await texts('checkpoints', name);
  expect(JSON.parse(prompt!)).toHaveProperty('save');
  expect(JSON.parse(workflow!)).toEqual({ id: 7 });
  expect(spec).toEqual({ 'modelspec.predict_key': 'epsilon' });
});

test('a checkpoint that is saved unchanged has the same bytes in all tensors', SLOW, async () => {
  const save = use('CheckpointSave', {
    ...{ model: ['a', 0], clip: ['a', 1], vae: ['a', 2] },
    filename_prefix: 'checkpoints/same',
  });
  expect(await run({ a: PARTS.a, save })).toBeUndefined();
  const [before, after] = await Promise.all(
    ['models/checkpoints/first.safetensors', 'output/checkpoints/same_00001_.safetensors'].map((path) =>
      readWeightFile(host.files, path),
    ),
  );
  for (const [name, { start, end }] of before!.table) {
    const saved = after!.table.get(name)!;
    const bytes = await host.files.read(after!.path, saved.start, saved.end);
    expect(Buffer.compare(bytes, await host.files.read(before!.path, start, end)), name).toBe(0);
  }
});

test('parts are saved in files that their loaders open', SLOW, async () => {
  const velocity = use('ModelSamplingDiscrete', {
    model: ['a', 0],
    sampling: 'v_prediction',
    zsnr: true,
  });
  expect(
    await run({
      a: PARTS.a,
      velocity,
      model: use('ModelSave', { model: ['velocity', 0], filename_prefix: 'diffusion_models/part' }),
      clip: use('CLIPSave', { clip: ['a', 1], filename_prefix: 'clip/part' }),
      vae: use('VAESave', { vae: ['a', 2], filename_prefix: 'vae/part' }),
    }),
  ).toBeUndefined();
  const model = await loadNetwork(located(), 'part_00001_.safetensors');
  expect(model.configs?.scheduler).toEqual({ prediction_type: 'v_prediction', rescale_betas_zero_snr: true });
  const clip = await loadEncoders(located(), ['part_clip_l_00001_.safetensors'], 'stable_diffusion');
  const vae = await loadVae(located(), 'part_00001_.safetensors');
  expect(await answers({ model, clip, vae })).toEqual(
    await answers(await loadCheckpoint(located(), 'first.safetensors')),
  );
  expect((await texts('diffusion_models', 'part_00001_.safetensors'))['modelspec.predict_key']).toBe('v');
  const { table } = await readWeightFile(host.files, 'output/clip/part_clip_l_00001_.safetensors');
  expect([...table.keys()].sort()).toEqual(Object.keys(clipShapes(12)).sort());
});

test('a failed save leaves nothing', SLOW, async () => {
  const create = host.files.create.bind(host.files);
  host.files.create = async (path) => {
    const writer = await create(path);
    const write = writer.write.bind(writer);
    return Object.assign(writer, {
      write: async (start: number, bytes: Uint8Array) => {
        if (start > 1_000_000) throw new Error('the disk is gone');
        await write(start, bytes);
      },
    });
  };
  const network = use('ModelSave', { model: ['a', 0], filename_prefix: 'diffusion_models/broken' });
  expect(await run({ a: PARTS.a, network })).toContain('the disk is gone');
  host.files.create = create;
  const names = await host.files.names('output/diffusion_models');
  expect(names?.filter((name) => name.includes('broken'))).toEqual([]);
});
