/** Hooks: adapters that are active for some prompts and in ranges of the sampling. */

import type { Host } from '#core/host';
import { readAdapter } from '../../models/adapters/read-adapter.ts';
import { checkpointNames, readCheckpoint } from '../../models/checkpoints/load-checkpoint.ts';
import type { ModelAdapter } from '../../values/adapter.ts';
import { combineHooks, type Hook, type HookKeyframe, type Hooks } from '../../values/hooks.ts';
import { fraction } from '../kernel/common-inputs.ts';
import { anyOf, boolean, choice, float, type Input, int, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { loraNames } from '../model/lora.ts';
import { modelFingerprint } from '../model/model-fingerprint.ts';

const shared = { module: 'comfy_extras.nodes_hooks', experimental: true } as const;
const createHook = { ...shared, category: 'advanced/hooks/create' } as const;
const schedule = { ...shared, category: 'advanced/hooks/scheduling' } as const;
const hooks = () => link('HOOKS', undefined);
const hookStrength = () => float({ default: 1.0, min: -20.0, max: 20.0, step: 0.01 });
const loraFingerprint = modelFingerprint('loras', ['lora_name']);
const checkpointFingerprint = modelFingerprint('checkpoints', ['ckpt_name']);
const hooksOutput = [output('HOOKS')];

/** Appends a hook to those before it. Does not read the adapter when both strengths are 0. */
async function appendHook(
  read: () => Promise<Hook['adapter']>,
  strengthModel: number,
  strengthClip: number,
  before: Hooks | undefined,
): Promise<[Hooks]> {
  if (strengthModel === 0 && strengthClip === 0) return [before ?? []];
  const adapter = await read();
  return [[...(before ?? []), { origin: {}, adapter, strengthModel, strengthClip, keyframes: [] }]];
}

const createHookLora = node({
  ...createHook,
  name: 'CreateHookLora',
  displayName: 'Create Hook LoRA',
  description: 'Creates a hook with an adapter of the folder loras, for the prompts that use the hook.',
  fingerprint: loraFingerprint,
  inputs: {
    lora_name: choice(loraNames),
    strength_model: hookStrength(),
    strength_clip: hookStrength(),
    prev_hooks: optional(hooks()),
  },
  outputs: hooksOutput,
  run: ({ lora_name, strength_model, strength_clip, prev_hooks }, { host }) =>
    appendHook(() => readAdapter(host, lora_name), strength_model, strength_clip, prev_hooks),
});

const createHookLoraModelOnly = node({
  ...createHook,
  name: 'CreateHookLoraModelOnly',
  displayName: 'Create Hook LoRA (MO)',
  description: 'Creates a hook with an adapter of the folder loras, for the diffusion model alone.',
  fingerprint: loraFingerprint,
  inputs: { lora_name: choice(loraNames), strength_model: hookStrength(), prev_hooks: optional(hooks()) },
  outputs: hooksOutput,
  run: ({ lora_name, strength_model, prev_hooks }, { host }) =>
    appendHook(() => readAdapter(host, lora_name), strength_model, 0, prev_hooks),
});

/** A checkpoint in the form of an adapter: the hook adds its difference to the model's weights. */
async function modelAdapter(host: Host, name: string): Promise<ModelAdapter> {
  const { model, clip } = await readCheckpoint(host, name);
  const { graph } = model.network;
  if (!graph) throw new Error('the weights of this model cannot be read');
  return { name, graphs: new Map([...clip.graphs, ['network', graph]]) };
}

const createHookModelAsLora = node({
  ...createHook,
  name: 'CreateHookModelAsLora',
  displayName: 'Create Hook Model as LoRA',
  description:
    'Creates a hook with the difference between a second checkpoint and the model, for the prompts that use the hook.',
  fingerprint: checkpointFingerprint,
  inputs: {
    ckpt_name: choice(checkpointNames),
    strength_model: hookStrength(),
    strength_clip: hookStrength(),
    prev_hooks: optional(hooks()),
  },
  outputs: hooksOutput,
  run: ({ ckpt_name, strength_model, strength_clip, prev_hooks }, { host }) =>
    appendHook(() => modelAdapter(host, ckpt_name), strength_model, strength_clip, prev_hooks),
});

const createHookModelAsLoraModelOnly = node({
  ...createHook,
  name: 'CreateHookModelAsLoraModelOnly',
  displayName: 'Create Hook Model as LoRA (MO)',
  description:
    'Creates a hook with the difference between the diffusion model of a second checkpoint and the model.',
  fingerprint: checkpointFingerprint,
  inputs: {
    ckpt_name: choice(checkpointNames),
    strength_model: hookStrength(),
    prev_hooks: optional(hooks()),
  },
  outputs: hooksOutput,
  run: ({ ckpt_name, strength_model, prev_hooks }, { host }) =>
    appendHook(() => modelAdapter(host, ckpt_name), strength_model, 0, prev_hooks),
});

const setHookKeyframes = node({
  ...schedule,
  name: 'SetHookKeyframes',
  displayName: 'Set Hook Keyframes',
  description: 'Sets when hooks are active, and how strongly.',
  inputs: { hooks: hooks(), hook_kf: optional(link('HOOK_KEYFRAMES', undefined)) },
  outputs: hooksOutput,
  run: ({ hooks, hook_kf }) => [
    hook_kf ? (hooks ?? []).map((hook) => ({ ...hook, keyframes: hook_kf })) : hooks,
  ],
});

const keyframesOutput = [output('HOOK_KEYFRAMES', 'HOOK_KF')];
const previousKeyframes = (): Input<readonly HookKeyframe[], false> =>
  optional(link('HOOK_KEYFRAMES', undefined));

/** Sorts by start. Keyframes with the same start stay in their order. */
const sortKeyframes = (...all: readonly HookKeyframe[]): HookKeyframe[] =>
  [...all].sort((a, b) => a.startPercent - b.startPercent);

const createHookKeyframe = node({
  ...schedule,
  name: 'CreateHookKeyframe',
  displayName: 'Create Hook Keyframe',
  description: 'Changes the strength from a point of the sampling: 0 is the start, 1 the end.',
  inputs: { strength_mult: hookStrength(), start_percent: fraction(0.0), prev_hook_kf: previousKeyframes() },
  outputs: keyframesOutput,
  run: ({ strength_mult, start_percent, prev_hook_kf = [] }) => [
    sortKeyframes(...prev_hook_kf, { strength: strength_mult, startPercent: start_percent, minSteps: 1 }),
  ],
});

/** Easing curves from 0 to 1. */
const CURVES = {
  linear: (at: number) => at,
  ease_in: (at: number) => at ** 2,
  ease_out: (at: number) => 1 - (1 - at) ** 2,
  ease_in_out: (at: number) => (1 - Math.cos(at * Math.PI)) / 2,
};

/** `count` numbers from `from` to `to` along a curve. */
function interpolate(
  from: number,
  to: number,
  count: number,
  curve: keyof typeof CURVES = 'linear',
): number[] {
  return Array.from({ length: count }, (_, index) => {
    const at = count === 1 ? 0 : index / (count - 1);
    return from + (to - from) * CURVES[curve](at);
  });
}

interface KeyframeSeries {
  strengths: readonly number[];
  start: number;
  end: number;
  before: readonly HookKeyframe[];
  log: ((line: string) => void) | undefined;
}

/** Evenly spaced keyframes from start to end. Only the first is active for at least one step. */
function keyframeSeries({ strengths, start, end, before, log }: KeyframeSeries): HookKeyframe[] {
  const starts = interpolate(start, end, strengths.length);
  const series = strengths.map((strength, index) => ({
    strength,
    startPercent: starts[index]!,
    minSteps: index === 0 ? 1 : 0,
  }));
  for (const { strength, startPercent } of series) log?.(`keyframe at ${startPercent}: ${strength}`);
  return sortKeyframes(...before, ...series);
}

const createHookKeyframesInterpolated = node({
  ...schedule,
  name: 'CreateHookKeyframesInterpolated',
  displayName: 'Create Hook Keyframes Interp.',
  description: 'Keyframes whose strength changes from one number to another.',
  inputs: {
    strength_start: float({ default: 1.0, min: 0.0, max: 10.0, step: 0.001 }),
    strength_end: float({ default: 1.0, min: 0.0, max: 10.0, step: 0.001 }),
    interpolation: choice(['linear', 'ease_in', 'ease_out', 'ease_in_out']),
    start_percent: fraction(0.0),
    end_percent: fraction(1.0),
    keyframes_count: int({ default: 5, min: 2, max: 100, step: 1 }),
    print_keyframes: boolean({ default: false }),
    prev_hook_kf: previousKeyframes(),
  },
  outputs: keyframesOutput,
  run: (values, { host }) => [
    keyframeSeries({
      strengths: interpolate(
        values.strength_start,
        values.strength_end,
        values.keyframes_count,
        values.interpolation,
      ),
      start: values.start_percent,
      end: values.end_percent,
      before: values.prev_hook_kf ?? [],
      log: values.print_keyframes ? (line) => host.log.info(line) : undefined,
    }),
  ],
});

const createHookKeyframesFromFloats = node({
  ...schedule,
  name: 'CreateHookKeyframesFromFloats',
  displayName: 'Create Hook Keyframes From Floats',
  description: 'Evenly spaced keyframes with the strengths of a list of numbers.',
  inputs: {
    floats_strength: anyOf('FLOATS', { default: -1, min: -1, step: 0.001, forceInput: true }),
    start_percent: fraction(0.0),
    end_percent: fraction(1.0),
    print_keyframes: boolean({ default: false }),
    prev_hook_kf: previousKeyframes(),
  },
  outputs: keyframesOutput,
  run({ floats_strength, start_percent, end_percent, print_keyframes, prev_hook_kf }, { host }) {
    const strengths = (Array.isArray(floats_strength) ? floats_strength : [floats_strength]).map(Number);
    if (strengths.length === 0 || !strengths.every(Number.isFinite))
      throw new TypeError('floats_strength must be a number or a list of numbers');
    const log = print_keyframes ? (line: string) => host.log.info(line) : undefined;
    return [
      keyframeSeries({ strengths, start: start_percent, end: end_percent, before: prev_hook_kf ?? [], log }),
    ];
  },
});

const combineHooksNode = (count: number): AnyNode => {
  const names = [...'ABCDEFGH'].slice(0, count).map((letter) => `hooks_${letter}`);
  return node({
    ...shared,
    category: 'advanced/hooks/combine',
    name: `CombineHooks${count}`,
    displayName: `Combine Hooks [${count}]`,
    description: 'Combines all of these hooks.',
    inputs: Object.fromEntries(names.map((name) => [name, optional(hooks())])),
    outputs: hooksOutput,
    run: (values) => [combineHooks(names.map((name) => values[name])) ?? null],
  });
};

const setClipHooks = node({
  ...shared,
  category: 'advanced/hooks/clip',
  name: 'SetClipHooks',
  displayName: 'Set CLIP Hooks',
  description:
    'Sets hooks on a text encoder. Its prompts can pass them to the sampler, and can be encoded for each part of their schedule.',
  inputs: {
    clip: link('CLIP', undefined),
    apply_to_conds: boolean({ default: true }),
    schedule_clip: boolean({ default: false }),
    hooks: optional(hooks()),
  },
  outputs: [output('CLIP')],
  run: ({ clip, apply_to_conds, schedule_clip, hooks }) => [
    hooks ? clip.withHooks({ hooks, toPrompts: apply_to_conds, isScheduled: schedule_clip }) : clip,
  ],
});

export const hookNodes: AnyNode[] = [
  createHookLora,
  createHookLoraModelOnly,
  createHookModelAsLora,
  createHookModelAsLoraModelOnly,
  setHookKeyframes,
  createHookKeyframe,
  createHookKeyframesInterpolated,
  createHookKeyframesFromFloats,
  combineHooksNode(2),
  combineHooksNode(4),
  combineHooksNode(8),
  setClipHooks,
];
