import { afterAll, beforeAll, expect, test } from 'vitest';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { latentProbe } from '#test/support/image-workflows/latent-probe.ts';
import { writeExported } from '#test/support/model-files/exported-model.ts';
import { writeTextEncoder, writeUnet } from '#test/support/model-files/tiny-parts.ts';
import type { FloatTensor } from '../../values/tensor.ts';

type Values = Record<string, unknown>;

const SLOW = { timeout: 120_000 };
/** Width of the prompts of the exported UNet. */
const WIDTH = 6;
let server: ReturnType<typeof imageServer>;
let remove: () => Promise<void>;
const probe = latentProbe();

beforeAll(async () => {
  const onnx = await onnxHost('here');
  remove = onnx.remove;
  const { files } = onnx.host;
  await writeExported(files, 'unet', 'models/diffusion_models/unet');
  await writeUnet(files, 'models/diffusion_models/other');
  await writeTextEncoder(files, 'models/text_encoders/one', WIDTH);
  server = imageServer({ host: onnx.host, customNodes: [probe.node] });
});
afterAll(async () => {
  await server.close();
  await remove();
});

const use = (class_type: string, inputs: Values) => ({ class_type, inputs });

/** Samples with a model that a chain of nodes patches. */
async function run(nodes: readonly (readonly [string, Values])[], options: Values = {}, network = 'unet') {
  const chain = Object.fromEntries(
    nodes.map(([name, values], index) => [
      `model ${index + 1}`,
      use(name, { model: [`model ${index}`, 0], ...values }),
    ]),
  );
  const prompt = {
    'model 0': use('UNETLoader', { unet_name: network, weight_dtype: 'default' }),
    ...chain,
    clip: use('CLIPLoader', { clip_name: 'one', type: 'stable_diffusion' }),
    cat: use('CLIPTextEncode', { text: 'a cat', clip: ['clip', 0] }),
    nothing: use('CLIPTextEncode', { text: '', clip: ['clip', 0] }),
    empty: use('EmptyLatentImage', { width: 96, height: 128, batch_size: 1 }),
    sampler: use('KSampler', {
      model: [`model ${nodes.length}`, 0],
      positive: ['cat', 0],
      negative: ['nothing', 0],
      latent_image: ['empty', 0],
      ...{ seed: 5, steps: 3, cfg: 4, sampler_name: 'euler', scheduler: 'normal', denoise: 1 },
      ...options,
    }),
    probe: use('Probe', { latent: ['sampler', 0] }),
  };
  probe.take();
  const { entry } = await server.run(prompt);
  const error = entry.status.messages.find(([name]) => name === 'execution_error')?.[1];
  return { samples: probe.take()?.samples, error: error?.exception_message as string | undefined };
}
async function samples(...parameters: Parameters<typeof run>): Promise<FloatTensor> {
  const { samples, error } = await run(...parameters);
  expect(error).toBeUndefined();
  return samples!;
}
const distance = (a: FloatTensor, b: FloatTensor): number => {
  expect(a.data.every(Number.isFinite)).toBe(true);
  return a.data.reduce((max, value, i) => Math.max(max, Math.abs(value - b.data[i]!)), 0);
};

const shrink = (start_percent: number, end_percent: number): readonly [string, Values] => [
  'PatchModelAddDownscale',
  {
    ...{ block_number: 1, downscale_factor: 2, start_percent, end_percent, downscale_after_skip: true },
    ...{ downscale_method: 'bicubic', upscale_method: 'bicubic' },
  },
];
const FREE = ['FreeU_V2', { b1: 1.3, b2: 1.4, s1: 0.9, s2: 0.2 }] as const;
const TILES = ['HyperTile', { tile_size: 32, swap_size: 3, max_depth: 1, scale_depth: false }] as const;
const MERGED = ['TomePatchModel', { ratio: 0.5 }] as const;
const PERTURBED = ['PerturbedAttentionGuidance', { scale: 2 }] as const;

test('each patch changes the result, and the result is the same each time', SLOW, async () => {
  const plain = await samples([]);
  for (const node of [FREE, TILES, MERGED, shrink(0, 0.5)])
    expect(distance(await samples([node]), plain), node[0]).toBeGreaterThan(1e-4);
  const all = [FREE, shrink(0, 0.35), TILES, MERGED, PERTURBED];
  const first = await samples(all);
  await samples(all, { seed: 6 });
  expect(distance(await samples(all, { seed: 5 }), first)).toBe(0);
});

test('patches with neutral settings change nothing', SLOW, async () => {
  const guided = await samples([PERTURBED]);
  const factors = { b1: 1, b2: 1, s1: 1, s2: 1 };
  const oneTile = ['HyperTile', { ...TILES[1], tile_size: 2048 }] as const;
  const unmerged = ['TomePatchModel', { ratio: 0 }] as const;
  const same = await samples([['FreeU', factors], ['FreeU_V2', factors], oneTile, unmerged, PERTURBED]);
  expect(distance(same, guided) / Math.max(...guided.data.map(Math.abs))).toBeLessThan(1e-6);
});

test('Deep Shrink is active in its range alone', SLOW, async () => {
  const [plain, beginning, all] = [
    await samples([]),
    await samples([shrink(0, 0.4)]),
    await samples([shrink(0, 1)]),
  ];
  for (const [a, b] of [
    [plain, beginning],
    [plain, all],
    [beginning, all],
  ] as const)
    expect(distance(a, b)).toBeGreaterThan(1e-4);
  // A range between two steps has no effect.
  expect(distance(await samples([shrink(0.6, 0.62)]), plain)).toBe(0);
});

test.each([FREE, shrink(0, 1), TILES, MERGED])(
  '%s names the part of the graph that it cannot find',
  SLOW,
  async (...node) => {
    const { error } = await run([node], {}, 'other');
    expect(error).toMatch(/cannot be found in this model's graph.*optimum-cli export onnx/);
  },
);
