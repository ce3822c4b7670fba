/** Nodes that patch a UNet, compared with torch on the same weights (test/diffusers/scripts/patches.py). */

import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { tensor } from '#test/support/model-files/exported-numbers.ts';
import { writeBuiltUnet } from '#test/support/model-files/exported-weights.ts';
import { nodeTypes } from '../../nodes/index.ts';
import type { NodeContext } from '../../nodes/kernel/node-context.ts';
import { predictor } from '../../sampling/guidance/predict.ts';
import { toRegions } from '../../sampling/guidance/regions.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { NetworkPrompt } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { loadNetwork } from '../checkpoints/standalone-parts.ts';
import { freeU } from './free-u.ts';
import { hyperTile } from './hyper-tile.ts';
import { perturbedAttention } from './perturbed-attention.ts';
import { tokenMerging } from './tome-patch.ts';

interface Answers {
  plain: number[];
  FreeU: number[];
  FreeU_V2: number[];
  HyperTile: Record<'shallow' | 'deep' | 'scaled', number[]>;
  TomePatchModel: Record<'0.3' | '0.75', number[]>;
  PatchModelAddDownscale: Record<string, number[]>;
  together: Record<'plain' | 'perturbed' | 'tiled' | 'merged', number[]>;
}
type Values = Record<string, unknown>;

const FOLDER = new URL('../../../../test/diffusers/', import.meta.url);
const SLOW = { timeout: 120_000 };
/** The end of the names of networks whose graphs are built. */
const BUILT = '_built';
/** The recorded numbers have 5 digits. */
const NEAR = 3e-5;
/** Weights of 16 bits have 3 digits. */
const ROUGH = 0.02;
const never = new AbortController().signal;
const host = await weightsHost('here');
let x: FloatTensor;
let prompt: NetworkPrompt;
let timestep: number;
let expected: Record<string, Answers>;

const recordedOf = (name: string): Answers => expected[name.replace(BUILT, '')]!;

const largestDifference = (actual: FloatTensor | undefined, data: ArrayLike<number>): number =>
  Array.from(data).reduce((max, value, i) => Math.max(max, Math.abs(value - actual!.data[i]!)), 0);

beforeAll(async () => {
  for (const name of ['unet', 'unet_deep', 'sdxl'])
    for (const file of ['model.onnx', 'config.json'])
      await host.files.write(
        `models/diffusion_models/${name}/${file}`,
        await readFile(new URL(`${name}/${file}`, FOLDER)),
      );
  await writeBuiltUnet(host, 'unet', `models/diffusion_models/unet${BUILT}`);
  await writeBuiltUnet(host, 'unet', 'models/diffusion_models/unet_half', 'F16');
  const recorded = JSON.parse(await readFile(new URL('patches.json', FOLDER), 'utf8'));
  expected = recorded;
  x = tensor(recorded.x);
  timestep = recorded.timestep;
  prompt = { tensor: tensor(recorded.text), options: {} };
});

/** The model as nodes change it, one after another. */
async function changedBy(
  name: string,
  ...nodes: readonly (readonly [string, Values])[]
): Promise<DiffusionModel> {
  const context = { host, signal: never } as unknown as NodeContext;
  let model: DiffusionModel = await loadNetwork(host, name);
  for (const [node, values] of nodes) {
    const type = nodeTypes.find(({ name: typeName }) => typeName === node)!;
    [model] = (await type.run({ model, ...values }, context)) as [DiffusionModel];
  }
  return model;
}

async function answerOf(
  name: string,
  ...nodes: readonly (readonly [string, Values])[]
): Promise<FloatTensor> {
  const { network } = await changedBy(name, ...nodes);
  return (await network.predict(x, timestep, [prompt], never))[0]!;
}

const free1: Values = { b1: 1.1, b2: 1.2, s1: 0.9, s2: 0.2 };
const free2: Values = { b1: 1.3, b2: 1.4, s1: 0.9, s2: 0.2 };
const tiling = (swap_size: number, max_depth: number, scale_depth: boolean): Values => ({
  tile_size: 32,
  swap_size,
  max_depth,
  scale_depth,
});
const shrink = (method: string): Values => ({
  block_number: 2,
  downscale_factor: 1.5,
  start_percent: 0,
  end_percent: 1,
  downscale_after_skip: true,
  downscale_method: method,
  upscale_method: method,
});
const before: Values = {
  ...shrink('bilinear'),
  block_number: 1,
  downscale_factor: 2,
  downscale_after_skip: false,
  upscale_method: 'bicubic',
};

// torch's older exporter wrote the first graph, its newer one the second. The third is built here.
describe.each(['unet', 'unet_deep', `unet${BUILT}`])('%s', (name) => {
  test.each<[string, Values, (answers: Answers) => number[] | undefined]>([
    ['FreeU', free1, (answers) => answers.FreeU],
    ['FreeU_V2', free2, (answers) => answers.FreeU_V2],
    ...['bicubic', 'nearest-exact', 'bilinear', 'area', 'bislerp'].map(
      (method): [string, Values, (answers: Answers) => number[] | undefined] => [
        'PatchModelAddDownscale',
        shrink(method),
        (answers) => answers.PatchModelAddDownscale[method],
      ],
    ),
    ['PatchModelAddDownscale', before, (answers) => answers.PatchModelAddDownscale.before],
    ['HyperTile', tiling(2, 0, false), (answers) => answers.HyperTile.shallow],
    ['HyperTile', tiling(3, 2, false), (answers) => answers.HyperTile.deep],
    ['HyperTile', tiling(1, 2, true), (answers) => answers.HyperTile.scaled],
    ['TomePatchModel', { ratio: 0.3 }, (answers) => answers.TomePatchModel['0.3']],
    ['TomePatchModel', { ratio: 0.75 }, (answers) => answers.TomePatchModel['0.75']],
  ])('%s %o', SLOW, async (node, values, expectedOf) => {
    const answer = await answerOf(name, [node, values]);
    expect(largestDifference(answer, expectedOf(recordedOf(name))!)).toBeLessThan(NEAR);
  });

  const perturbed = ['PerturbedAttentionGuidance', { scale: 3 }] as const;
  const tiles = ['HyperTile', tiling(3, 2, false)] as const;

  test('several patches in any order', SLOW, async () => {
    const free = ['FreeU', free1] as const;
    const off: NetworkPrompt = { ...prompt, activePatches: { switches: new Set([perturbedAttention.key]) } };
    const { together } = recordedOf(name);
    for (const nodes of [
      [free, tiles, perturbed],
      [perturbed, tiles, free],
    ]) {
      const { network } = await changedBy(name, ...nodes);
      const [plain, without] = await network.predict(x, timestep, [prompt, off], never);
      expect(largestDifference(plain, together.plain)).toBeLessThan(NEAR);
      expect(largestDifference(without, together.perturbed)).toBeLessThan(NEAR);
      expect(largestDifference(without, together.plain)).toBeGreaterThan(1e-3);
    }
  });

  test('patches of attention on levels that another patch shrinks', SLOW, async () => {
    const { together } = recordedOf(name);
    const half = ['PatchModelAddDownscale', before] as const;
    for (const [node, result] of [
      [tiles, together.tiled],
      [['TomePatchModel', { ratio: 0.75 }], together.merged],
    ] as const) {
      expect(largestDifference(await answerOf(name, half, node), result)).toBeLessThan(NEAR);
      expect(largestDifference(await answerOf(name, node, half), result)).toBeLessThan(NEAR);
    }
  });

  test('two patches of one kind, of which one has no effect', SLOW, async () => {
    const { TomePatchModel, HyperTile } = recordedOf(name);
    const merging = [0.3, 0.75, 0.5].map((ratio) => ['TomePatchModel', { ratio }] as const);
    expect(largestDifference(await answerOf(name, ...merging), TomePatchModel['0.3'])).toBeLessThan(NEAR);
    const none = ['HyperTile', { ...tiling(2, 0, false), tile_size: 2048 }] as const;
    const shallow = ['HyperTile', tiling(2, 0, false)] as const;
    for (const nodes of [
      [none, shallow],
      [shallow, none],
    ])
      expect(largestDifference(await answerOf(name, ...nodes), HyperTile.shallow)).toBeLessThan(NEAR);
  });

  test('all patches with settings that have no effect', SLOW, async () => {
    const nothing: [string, Values][] = [
      ['FreeU', { b1: 1, b2: 1, s1: 1, s2: 1 }],
      ['FreeU_V2', { b1: 1, b2: 1, s1: 1, s2: 1 }],
      // The first two are inactive at this step, and the UNet lacks the block of the third.
      ['PatchModelAddDownscale', { ...shrink('bislerp'), end_percent: 0.2 }],
      ['PatchModelAddDownscale', { ...shrink('area'), end_percent: 0.2 }],
      ['PatchModelAddDownscale', { ...shrink('bicubic'), block_number: 32 }],
      ['HyperTile', { ...tiling(3, 2, false), tile_size: 2048 }],
      ['TomePatchModel', { ratio: 0.01 }],
    ];
    const { network: plain } = await loadNetwork(host, name);
    const other: NetworkPrompt = {
      ...prompt,
      tensor: { ...prompt.tensor, data: prompt.tensor.data.map((value) => -value) },
    };
    const { network } = await changedBy(name, ...nothing, perturbed);
    const plainOutputs = await plain.predict(x, timestep, [prompt, other], never);
    const outputs = await network.predict(x, timestep, [prompt, other], never);
    for (const [index, { data }] of plainOutputs.entries())
      expect(largestDifference(outputs[index], data)).toBeLessThan(1e-6);
    expect(largestDifference(outputs[0], plainOutputs[1]!.data)).toBeGreaterThan(1e-3);
  });

  test('two prompts in one batch', SLOW, async () => {
    const other: NetworkPrompt = {
      ...prompt,
      tensor: { ...prompt.tensor, data: prompt.tensor.data.map((value) => -value) },
    };
    const { network } = await changedBy(
      name,
      ['FreeU_V2', free2],
      ['PatchModelAddDownscale', shrink('bislerp')],
      tiles,
      ['TomePatchModel', { ratio: 0.3 }],
    );
    const both = await network.predict(x, timestep, [prompt, other], never);
    for (const [index, single] of [prompt, other].entries()) {
      const [alone] = await network.predict(x, timestep, [single], never);
      expect(largestDifference(both[index], alone!.data)).toBeLessThan(1e-5);
    }
    expect(largestDifference(both[0], both[1]!.data)).toBeGreaterThan(1e-3);
  });
});

test('a UNet without attention on its first level stays unchanged', SLOW, async () => {
  const { sdxl } = JSON.parse(await readFile(new URL('expected.json', FOLDER), 'utf8'));
  const { network } = await changedBy(
    'sdxl',
    ['HyperTile', tiling(3, 0, false)],
    ['TomePatchModel', { ratio: 0.5 }],
  );
  const sizes = { height: 32, width: 48, cropTop: 1, cropLeft: 2, targetHeight: 64, targetWidth: 96 };
  const options = { pooled: tensor(sdxl.pooled), guidance: 7.5, sizes };
  const sdxlPrompt: NetworkPrompt = { tensor: tensor(sdxl.text), options };
  const [answer] = await network.predict(tensor(sdxl.x), sdxl.timestep, [sdxlPrompt], never);
  expect(largestDifference(answer, sdxl.plain.data)).toBeLessThan(NEAR);
  // The second level has attention.
  const { network: deeper } = await changedBy('sdxl', ['HyperTile', tiling(3, 1, false)]);
  const larger = {
    shape: [1, 4, 16, 16],
    data: Float32Array.from({ length: 1024 }, (_, at) => Math.sin(at)),
  };
  const [tiled] = await deeper.predict(larger, sdxl.timestep, [sdxlPrompt], never);
  const [plain] = await network.predict(larger, sdxl.timestep, [sdxlPrompt], never);
  expect(largestDifference(tiled, plain!.data)).toBeGreaterThan(1e-4);
});

test('patches of a network whose weights are of 16 bits', SLOW, async () => {
  const nodes: [string, Values][] = [
    ['FreeU_V2', free2],
    ['PatchModelAddDownscale', shrink('bicubic')],
    ['HyperTile', tiling(3, 2, false)],
    ['PerturbedAttentionGuidance', { scale: 3 }],
  ];
  const plain = await answerOf('unet_half');
  expect(largestDifference(plain, recordedOf('unet').plain)).toBeLessThan(ROUGH);
  for (const node of nodes) {
    const answer = await answerOf('unet_half', node);
    expect(largestDifference(answer, (await answerOf('unet', node)).data)).toBeLessThan(ROUGH);
  }
});

test('rejects graphs with an operator set that is too old', async () => {
  const { network } = await loadNetwork(host, 'unet');
  const outline = { ...(await network.graph!.source.outline()), opset: 12 };
  const changes = [
    freeU({ b1: 1.1, b2: 1.2, s1: 0.9, s2: 0.2 }, true),
    hyperTile({ tileSize: 32, swapSize: 2, maxDepth: 0, scaleDepth: false }),
    tokenMerging(0.3),
  ];
  for (const { build: change } of changes)
    expect(() => change(outline, never)).toThrow(
      /needs operators of version 13 or newer.*version 12: export it anew/,
    );
});

test('a downscale depends on the noise level of the original model sampling', async () => {
  const part: Values = { ...shrink('bicubic'), end_percent: 0.35 };
  const sampled = [
    'ModelSamplingContinuousEDM',
    { sampling: 'eps', sigma_max: 120, sigma_min: 0.002 },
  ] as const;
  const denoise = async (model: DiffusionModel, sigma: number) => {
    const regions = toRegions([{ tensor: prompt.tensor, options: {} }], x.shape, model);
    return (await predictor(model, never)([regions], x, sigma))[0]!;
  };
  const plain = await changedBy('unet', sampled);
  const shrunk = await changedBy('unet', ['PatchModelAddDownscale', part], sampled);
  const differs = async (sigma: number) => {
    const [unpatched, patched] = [await denoise(plain, sigma), await denoise(shrunk, sigma)];
    return unpatched.data.some((value, index) => Math.abs(value - patched.data[index]!) > 1e-4);
  };
  expect([await differs(10), await differs(0.5)]).toEqual([true, false]);
});

test('a patch without insertions keeps the same graph', async () => {
  const [plain, same] = [
    await changedBy('unet'),
    await changedBy('unet', ['PatchModelAddDownscale', { ...shrink('area'), block_number: 30 }]),
  ];
  expect(same.network.graph).toBe(plain.network.graph);
});
