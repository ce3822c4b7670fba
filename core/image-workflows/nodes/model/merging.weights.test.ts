import { afterAll, beforeAll, expect, test } from 'vitest';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { latentProbe } from '#test/support/image-workflows/latent-probe.ts';
import { writeWithWeights } from '#test/support/model-files/graph-weights.ts';
import { writeTinyDiffusion } from '#test/support/model-files/tiny-diffusion.ts';
import { writeTextEncoder, writeUnet } from '#test/support/model-files/tiny-parts.ts';
import type { FloatTensor } from '../../values/tensor.ts';

let server: ReturnType<typeof imageServer>;
let remove: () => Promise<void>;
const probe = latentProbe();

beforeAll(async () => {
  const onnx = await onnxHost('here');
  remove = onnx.remove;
  const { files } = onnx.host;
  await writeUnet(files, 'models/diffusion_models/one');
  await writeTextEncoder(files, 'models/text_encoders/one');
  const times = (factor: number) => (_: string, numbers: Float32Array) =>
    // A single number belongs to a formula and is no weight.
    numbers.map((value) => (numbers.length === 1 ? value : value * factor));
  for (const [name, factor] of [
    ['two', 1.5],
    ['mean', 1.25],
  ] as const) {
    await writeWithWeights(
      files,
      'models/diffusion_models/one',
      `models/diffusion_models/${name}`,
      times(factor),
    );
    await writeWithWeights(files, 'models/text_encoders/one', `models/text_encoders/${name}`, times(factor));
  }
  await writeUnet(files, 'models/diffusion_models/nine', 9);
  await writeTinyDiffusion(files, 'models/checkpoints/two');
  for (const [from, to] of [
    ['diffusion_models', 'unet'],
    ['text_encoders', 'text_encoder'],
  ] as const)
    for (const { path } of (await files.list(`models/${from}/two`))!)
      await files.write(path.replace(`${from}/two`, `checkpoints/two/${to}`), await files.read(path));
  server = imageServer({ host: onnx.host, customNodes: [probe.node] });
});
afterAll(async () => {
  await server.close();
  await remove();
});

const use = (class_type: string, inputs: Record<string, unknown>) => ({ class_type, inputs });
const network = (name: string) => use('UNETLoader', { unet_name: name, weight_dtype: 'default' });
const encoder = (name: string) => use('CLIPLoader', { clip_name: name, type: 'stable_diffusion' });
/** A graph that samples with the nodes `model` and `clip` of `parts`. */
const sampling = (parts: Record<string, object>) => ({
  ...parts,
  cat: use('CLIPTextEncode', { text: 'a cat', clip: ['clip', 0] }),
  empty: use('EmptyLatentImage', { width: 64, height: 64, batch_size: 1 }),
  sampler: use('KSampler', {
    ...{ model: ['model', 0], positive: ['cat', 0], negative: ['cat', 0], latent_image: ['empty', 0] },
    ...{ seed: 5, steps: 2, cfg: 1, sampler_name: 'euler', scheduler: 'normal', denoise: 1 },
  }),
  probe: use('Probe', { latent: ['sampler', 0] }),
});
const both = (merge: object, mergeClips: object) =>
  sampling({
    ...{ a: network('one'), b: network('two'), c: encoder('one'), d: encoder('two') },
    ...{ model: merge, clip: mergeClips },
  });
const merged = (ratio: number) =>
  both(
    use('ModelMergeSimple', { model1: ['a', 0], model2: ['b', 0], ratio }),
    use('CLIPMergeSimple', { clip1: ['c', 0], clip2: ['d', 0], ratio }),
  );
const single = (name: string) => sampling({ model: network(name), clip: encoder(name) });

async function run(prompt: object) {
  probe.take();
  const { entry } = await server.run(prompt);
  const message = (kind: string) => entry.status.messages.find(([name]) => name === kind)?.[1];
  return {
    samples: probe.take()?.samples,
    error: message('execution_error'),
    cached: message('execution_cached')?.nodes,
  };
}
async function samples(prompt: object): Promise<FloatTensor> {
  const { samples, error } = await run(prompt);
  expect(error).toBeUndefined();
  return samples!;
}
/** The largest difference, relative to the largest number. */
const distance = (a: FloatTensor, b: FloatTensor) => {
  const largest = (numbers: Float32Array) =>
    numbers.reduce((before, value) => Math.max(before, Math.abs(value)), 0);
  return largest(a.data.map((value, i) => value - b.data[i]!)) / largest(b.data);
};

test('merged models and text encoders equal models with the merged weights', {
  timeout: 120_000,
}, async () => {
  const [first, second, mean] = [
    await samples(single('one')),
    await samples(single('two')),
    await samples(single('mean')),
  ];
  for (const [a, b] of [
    [first, second],
    [first, mean],
  ] as const)
    expect(distance(a, b)).toBeGreaterThan(1e-2);
  expect(distance(await samples(merged(0.5)), mean)).toBeLessThan(1e-4);
  // The second run is cached.
  expect((await run(merged(0.5))).cached).toEqual(expect.arrayContaining(['model', 'clip', 'sampler']));
  // Another ratio gives another model of cached parts.
  const { samples: unmerged, cached } = await run(merged(1));
  expect(cached).toEqual(expect.arrayContaining(['a', 'b', 'c', 'd']));
  expect(cached).not.toContain('sampler');
  expect(distance(unmerged!, first)).toBe(0);
  expect(distance(await samples(merged(0)), second)).toBeLessThan(1e-6);
});

test('adds, subtracts and merges by blocks', { timeout: 120_000 }, async () => {
  const models = { model1: ['a', 0], model2: ['b', 0] };
  const clips = { clip1: ['c', 0], clip2: ['d', 0] };
  // 1 + 1.5 = 2 x 1.25; 2.5 (1.5 - 1) = 1.25
  const mean = await samples(single('mean'));
  const doubled = both(
    use('ModelMergeSubtract', { model1: ['sum', 0], model2: ['half', 0], multiplier: 1 }),
    use('CLIPMergeSubtract', { clip1: ['d', 0], clip2: ['c', 0], multiplier: 2.5 }),
  );
  const halves = {
    sum: use('ModelMergeAdd', models),
    half: use('ModelMergeSimple', { ...models, ratio: 0.5 }),
  };
  expect(distance(await samples({ ...doubled, ...halves }), mean)).toBeLessThan(1e-4);
  const added = both(
    use('ModelMergeBlocks', { ...models, input: 0.5, middle: 0, out: 1 }),
    use('CLIPMergeSubtract', { clip1: ['sum', 0], clip2: ['c', 0], multiplier: 1 }),
  );
  const two = await samples(sampling({ model: network('mean'), clip: encoder('two') }));
  // All weights of the tiny UNet belong to its input part.
  expect(distance(await samples({ ...added, sum: use('CLIPMergeAdd', clips) }), two)).toBeLessThan(1e-4);
});

test('a hook with a second model equals that model', { timeout: 120_000 }, async () => {
  const hooked = (class_type: string, strengths: object, clip: object = {}) =>
    sampling({
      ...{ model: network('one'), encoder: encoder('one') },
      hook: use(class_type, { ckpt_name: 'two', ...strengths }),
      clip: use('SetClipHooks', {
        ...{ clip: ['encoder', 0], hooks: ['hook', 0], apply_to_conds: true, schedule_clip: false },
        ...clip,
      }),
    });
  const at = (strength: number) => ({ strength_model: strength, strength_clip: strength });
  const two = await samples(single('two'));
  expect(distance(await samples(hooked('CreateHookModelAsLora', at(1))), two)).toBeLessThan(1e-4);
  const mean = await samples(single('mean'));
  expect(distance(await samples(hooked('CreateHookModelAsLora', at(0.5))), mean)).toBeLessThan(1e-4);
  const alone = await samples(sampling({ model: network('two'), clip: encoder('one') }));
  const only = hooked('CreateHookModelAsLoraModelOnly', { strength_model: 1 });
  expect(distance(await samples(only), alone)).toBeLessThan(1e-4);
});

test('models of different shapes fail at the node that merges them', { timeout: 60_000 }, async () => {
  const { error } = await run(
    sampling({
      ...{ a: network('one'), b: network('nine'), clip: encoder('one') },
      model: use('ModelMergeSimple', { model1: ['a', 0], model2: ['b', 0], ratio: 0.5 }),
    }),
  );
  expect(error).toMatchObject({
    node_id: 'model',
    exception_message: expect.stringContaining(
      'conv_in.weight is [4, 4, 1, 1] in the first and [4, 9, 1, 1]',
    ),
  });
});
