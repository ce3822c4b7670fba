import { describe, expect, test } from 'vitest';
import { stableDiffusion } from '#test/support/image-workflows/analytic-sampling.ts';
import { encodePrompts } from '../../models/encoders/encode-prompts.ts';
import { cfgGuider } from '../../sampling/guidance/guiders.ts';
import type { Adapter } from '../../values/adapter.ts';
import type { ClipModel } from '../../values/clip-model.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { Hook, HookKeyframe, Hooks } from '../../values/hooks.ts';
import type { DiffusionNetwork } from '../../values/network.ts';
import { type FloatTensor, full } from '../../values/tensor.ts';
import { nodeTypes } from '../index.ts';
import type { NodeContext } from '../kernel/node-context.ts';

const signal = new AbortController().signal;
const lines: string[] = [];
const context = {
  signal,
  host: { log: { info: (line: string) => lines.push(line) } },
} as unknown as NodeContext;
const run = async <T>(name: string, values: Record<string, unknown>): Promise<T> =>
  ((await nodeTypes.find((type) => type.name === name)!.run(values, context)) as unknown[])[0] as T;

const hook = (name: string, more: Partial<Hook> = {}): Hook => ({
  origin: {},
  adapter: { name, parts: [] } as Adapter,
  strengthModel: 1,
  strengthClip: 1,
  keyframes: [],
  ...more,
});
const names = (hooks: Hooks) => hooks.map(({ adapter }) => adapter.name);

describe('keyframes', () => {
  test('are sorted by their start', async () => {
    const first = await run<HookKeyframe[]>('CreateHookKeyframe', { strength_mult: 2, start_percent: 0.5 });
    const both = await run<HookKeyframe[]>('CreateHookKeyframe', {
      strength_mult: 1,
      start_percent: 0.25,
      prev_hook_kf: first,
    });
    expect(both).toEqual([
      { strength: 1, startPercent: 0.25, minSteps: 1 },
      { strength: 2, startPercent: 0.5, minSteps: 1 },
    ]);
  });
  test.each([
    ['linear', [0, 1, 2]],
    ['ease_in', [0, 0.5, 2]],
    ['ease_out', [0, 1.5, 2]],
    ['ease_in_out', [0, 1, 2]],
  ])('interpolate strengths: %s', async (interpolation, strengths) => {
    lines.length = 0;
    const keyframeSeries = await run<HookKeyframe[]>('CreateHookKeyframesInterpolated', {
      strength_start: 0,
      strength_end: 2,
      interpolation,
      start_percent: 0.2,
      end_percent: 0.8,
      keyframes_count: 3,
      print_keyframes: true,
    });
    expect(keyframeSeries.map(({ startPercent }) => Number(startPercent.toFixed(6)))).toEqual([
      0.2, 0.5, 0.8,
    ]);
    keyframeSeries.forEach(({ strength }, index) => {
      expect(strength).toBeCloseTo(strengths[index]!, 6);
    });
    expect(keyframeSeries.map(({ minSteps }) => minSteps)).toEqual([1, 0, 0]);
    expect(lines).toHaveLength(3);
  });
  test('are created from a list of numbers', async () => {
    const range = { start_percent: 0, end_percent: 1, print_keyframes: false };
    const keyframeSeries = await run<HookKeyframe[]>('CreateHookKeyframesFromFloats', {
      floats_strength: [3, 4],
      ...range,
    });
    expect(keyframeSeries.map(({ strength, startPercent }) => [strength, startPercent])).toEqual([
      [3, 0],
      [4, 1],
    ]);
    await expect(run('CreateHookKeyframesFromFloats', { floats_strength: 'x', ...range })).rejects.toThrow(
      'floats_strength',
    );
  });
});

test('CombineHooks keeps each hook once; SetHookKeyframes sets keyframes on all', async () => {
  const [a, b] = [hook('a'), hook('b')];
  expect(
    names(await run('CombineHooks4', { hooks_A: [a], hooks_B: [b, { ...a, strengthModel: 9 }] })),
  ).toEqual(['a', 'b']);
  expect(await run('CombineHooks2', {})).toBeNull();
  const frames = [{ strength: 2, startPercent: 0, minSteps: 1 }];
  const timed = await run<Hooks>('SetHookKeyframes', { hooks: [a, b], hook_kf: frames });
  expect(timed.map(({ keyframes }) => keyframes)).toEqual([frames, frames]);
  expect(a.keyframes).toEqual([]);
});

/** A model that predicts the sum of its adapters' strengths, and records each run in `runs`. */
function model(runs: string[] = []): DiffusionModel {
  const network = (added: number, name: string): DiffusionNetwork => ({
    async predict(x, _time, prompts) {
      runs.push(`${name || 'plain'} ${prompts.map(({ tensor }) => tensor.data[0]).join()}`);
      return prompts.map(() => full(x.shape, added));
    },
    withAdapter: async (adapter, strength) => network(added + strength, `${name}${adapter.name} ${strength}`),
  });
  return {
    sampling: { ...stableDiffusion, denoised: (_sigma: number, answer: FloatTensor) => answer },
    guidance: { preCfg: [], postCfg: [] },
    network: network(0, ''),
  } as unknown as DiffusionModel;
}
const prompt = (value: number): Conditioning => [{ tensor: full([1, 1, 1], value), options: {} }];
const withHooks = (conditioning: Conditioning, hooks: Hooks) =>
  run<Conditioning>('ConditioningSetProperties', {
    cond_NEW: conditioning,
    strength: 1,
    set_cond_area: 'default',
    hooks,
  });
const open = (base: DiffusionModel, positive: Conditioning, negative = prompt(0)) =>
  cfgGuider(base, positive, negative, 2).open([1, 1, 1, 1], signal);
const x = full([1, 1, 1, 1], 1);

describe('a prompt with hooks', () => {
  test('runs through the network with its adapters, the other through the plain network', async () => {
    const runs: string[] = [];
    const positive = await withHooks(await withHooks(prompt(1), [hook('a')]), [
      hook('b', { strengthModel: 0.5 }),
    ]);
    const opened = open(model(runs), positive);
    // 0 + 2 (1.5 - 0)
    expect((await opened.denoise(x, 5)).data[0]).toBe(3);
    expect((await opened.denoise(x, 4)).data[0]).toBe(3);
    // Each step begins with the network of the last run.
    expect(runs).toEqual(['plain 0', 'a 1b 0.5 1', 'a 1b 0.5 1', 'plain 0']);
  });
  test('runs together with prompts of the same hooks', async () => {
    const runs: string[] = [];
    const hooks = [hook('a')];
    await open(model(runs), await withHooks(prompt(1), hooks), await withHooks(prompt(2), hooks)).denoise(
      x,
      5,
    );
    expect(runs).toEqual(['a 1 1,2']);
  });
  test('follows its keyframes', async () => {
    const keyframes = [
      { strength: 0, startPercent: 0, minSteps: 1 },
      { strength: 1, startPercent: 0.5, minSteps: 1 },
      { strength: 2, startPercent: 0.5, minSteps: 1 },
      { strength: 3, startPercent: 0.8, minSteps: 0 },
    ];
    const opened = open(model(), await withHooks(prompt(1), [hook('a', { keyframes })]));
    const at = (percent: number) => stableDiffusion.sigmaAt(percent);
    const strengths: number[] = [];
    for (const sigma of [14, at(0.49), at(0.5), at(0.51), at(0.6), at(0.9)])
      strengths.push((await opened.denoise(x, sigma)).data[0]! / 2);
    // Each of two keyframes with the same start is active for a step.
    expect(strengths).toEqual([0, 0, 1, 2, 2, 3]);
  });
  test('fails when the network cannot be adapted', async () => {
    const base = model();
    const { withAdapter: _, ...fixed } = base.network;
    const positive = await withHooks(prompt(1), [hook('a')]);
    await expect(open({ ...base, network: fixed }, positive).denoise(x, 5)).rejects.toThrow(
      'cannot be changed',
    );
  });
});

describe('a text encoder with hooks', () => {
  const clip = (strength = 0, set?: ClipModel['hooks']): ClipModel =>
    ({
      ...(set && { hooks: set }),
      encode: async () => ({ tensor: full([1, 1, 1], strength) }),
      withAdapter: async (_: Adapter, by: number) => clip(strength + by, set),
      withHooks: (hooks: ClipModel['hooks']) => clip(strength, hooks),
    }) as unknown as ClipModel;
  const keyframes = [
    { strength: 2, startPercent: 0.25, minSteps: 1 },
    { strength: 2, startPercent: 0.5, minSteps: 1 },
    { strength: 0, startPercent: 0.75, minSteps: 1 },
  ];
  const set = (hooks: Hooks | undefined, apply_to_conds: boolean, schedule_clip: boolean) =>
    run<ClipModel>('SetClipHooks', { clip: clip(), hooks, apply_to_conds, schedule_clip });
  const encode = async (encoder: ClipModel) =>
    (await run<Conditioning>('CLIPTextEncode', { clip: encoder, text: 'a' })).map(({ tensor, options }) => [
      tensor.data[0],
      options.schedule?.encodedRange,
      options.hooks && names(options.hooks),
    ]);

  test('encodes prompts with its first strength, and passes the hooks on', async () => {
    const hooks = [hook('a', { strengthClip: 0.5, keyframes }), hook('b', { strengthClip: 0 })];
    expect(await encode(await set(hooks, true, false))).toEqual([[1, undefined, ['a', 'b']]]);
    expect(await encode(await set(hooks, false, false))).toEqual([[1, undefined, undefined]]);
    expect(await encode(await set(undefined, true, true))).toEqual([[0, undefined, undefined]]);
  });
  test('encodes a prompt for each part of the schedule', async () => {
    expect(await encode(await set([hook('a', { keyframes })], false, true))).toEqual([
      [1, [0, 0.25], undefined],
      [2, [0.25, 0.75], undefined],
      [0, [0.75, 1], undefined],
    ]);
    expect(await encode(await set([hook('a')], false, true))).toEqual([[1, undefined, undefined]]);
  });
  test('encodes parts that are active in their range alone', async () => {
    const runs: string[] = [];
    const positive = await encodePrompts(await set([hook('a', { keyframes })], false, true), 'a', signal);
    const opened = open(model(runs), positive, prompt(9));
    for (const percent of [0.1, 0.5, 0.9]) await opened.denoise(x, stableDiffusion.sigmaAt(percent));
    expect(runs).toEqual(['plain 1,9', 'plain 2,9', 'plain 0,9']);
  });
});
