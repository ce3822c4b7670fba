/** Nodes that set strength, mask and sampling range of prompts at once, and default prompts for uncovered regions. */
import { type Conditioning, withOptions } from '../../values/conditioning.ts';
import { combineHooks, type Hooks } from '../../values/hooks.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { fraction, strength } from '../kernel/common-inputs.ts';
import { anyOf, choice, type Input, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const MODULE = 'comfy_extras.nodes_hooks';
const single = { category: 'advanced/hooks/cond single', module: MODULE, experimental: true } as const;
const pair = { category: 'advanced/hooks/cond pair', module: MODULE, experimental: true } as const;

type TimestepsRange = readonly [start: number, end: number];

interface PromptProperties {
  strength: number;
  set_cond_area: 'default' | 'mask bounds';
  mask?: FloatTensor | undefined;
  hooks?: Hooks | null | undefined;
  timesteps?: unknown;
}

const conditioning = () => link('CONDITIONING', undefined);
const hooks = (): Input<Hooks, false> => optional(link('HOOKS', undefined));
const properties = () => ({
  strength: strength(),
  set_cond_area: choice(['default', 'mask bounds']),
});
const furtherProperties = () => ({
  mask: optional(link('MASK', undefined)),
  hooks: hooks(),
  timesteps: optional(anyOf('TIMESTEPS_RANGE', undefined)),
});

/** `strength` is the mask's strength: without a mask it has no effect, as in ComfyUI. */
function withProperties(entries: Conditioning, values: PromptProperties) {
  const { strength, set_cond_area, mask, hooks, timesteps } = values;
  const region = mask && {
    mask: mask.shape.length < 3 ? { ...mask, shape: [1, ...mask.shape] } : mask,
    maskStrength: strength,
    areaFromMask: set_cond_area !== 'default',
  };
  const range = timesteps as TimestepsRange | null | undefined;
  return withOptions(withHooks(entries, hooks), {
    ...(region && { region }),
    ...(range && { schedule: { startPercent: range[0], endPercent: range[1] } }),
  });
}

/** Adds hooks to those that the prompts have already. */
function withHooks(entries: Conditioning, hooks: Hooks | null | undefined): Conditioning {
  if (!hooks) return entries;
  return withOptions(entries, (own) => ({ hooks: combineHooks([own.hooks, hooks])! }));
}

const asDefault = (entries: Conditioning, hooks: Hooks | null | undefined): Conditioning =>
  withOptions(withHooks(entries, hooks), { region: { isDefault: true } });

const setProperties = node({
  ...single,
  name: 'ConditioningSetProperties',
  displayName: 'Cond Set Props',
  description: 'Sets mask, strength and sampling range of a prompt.',
  inputs: { cond_NEW: conditioning(), ...properties(), ...furtherProperties() },
  outputs: [output('CONDITIONING')],
  run: ({ cond_NEW, ...values }) => [withProperties(cond_NEW, values)],
});

const setPropertiesAndCombine = node({
  ...single,
  name: 'ConditioningSetPropertiesAndCombine',
  displayName: 'Cond Set Props Combine',
  description: 'Adds a prompt with a mask, a strength and a sampling range to another prompt.',
  inputs: { cond: conditioning(), cond_NEW: conditioning(), ...properties(), ...furtherProperties() },
  outputs: [output('CONDITIONING')],
  run: ({ cond, cond_NEW, ...values }) => [[...cond, ...withProperties(cond_NEW, values)]],
});

const both = [output('CONDITIONING', 'positive'), output('CONDITIONING', 'negative')];

const pairSetProperties = node({
  ...pair,
  name: 'PairConditioningSetProperties',
  displayName: 'Cond Pair Set Props',
  description: 'Sets mask, strength and sampling range of a prompt and its negative prompt.',
  inputs: {
    positive_NEW: conditioning(),
    negative_NEW: conditioning(),
    ...properties(),
    ...furtherProperties(),
  },
  outputs: both,
  run: ({ positive_NEW, negative_NEW, ...values }) => [
    withProperties(positive_NEW, values),
    withProperties(negative_NEW, values),
  ],
});

const pairSetPropertiesAndCombine = node({
  ...pair,
  name: 'PairConditioningSetPropertiesAndCombine',
  displayName: 'Cond Pair Set Props Combine',
  description:
    'Adds a prompt and its negative prompt with a mask, a strength and a sampling range to others.',
  inputs: {
    positive: conditioning(),
    negative: conditioning(),
    positive_NEW: conditioning(),
    negative_NEW: conditioning(),
    ...properties(),
    ...furtherProperties(),
  },
  outputs: both,
  run: ({ positive, negative, positive_NEW, negative_NEW, ...values }) => [
    [...positive, ...withProperties(positive_NEW, values)],
    [...negative, ...withProperties(negative_NEW, values)],
  ],
});

const pairCombine = node({
  ...pair,
  name: 'PairConditioningCombine',
  displayName: 'Cond Pair Combine',
  description: 'Uses two prompts and their negative prompts: the predictions with each of them are averaged.',
  inputs: {
    positive_A: conditioning(),
    negative_A: conditioning(),
    positive_B: conditioning(),
    negative_B: conditioning(),
  },
  outputs: both,
  run: ({ positive_A, negative_A, positive_B, negative_B }) => [
    [...positive_A, ...positive_B],
    [...negative_A, ...negative_B],
  ],
});

const setDefaultCombine = node({
  ...single,
  name: 'ConditioningSetDefaultCombine',
  displayName: 'Cond Set Default Combine',
  description: 'Adds a default prompt, which counts wherever the first prompt does not.',
  inputs: { cond: conditioning(), cond_DEFAULT: conditioning(), hooks: hooks() },
  outputs: [output('CONDITIONING')],
  run: ({ cond, cond_DEFAULT, hooks }) => [[...cond, ...asDefault(cond_DEFAULT, hooks)]],
});

const pairSetDefaultCombine = node({
  ...pair,
  name: 'PairConditioningSetDefaultCombine',
  displayName: 'Cond Pair Set Default Combine',
  description: 'Adds a default prompt and negative prompt, which count wherever the first ones do not.',
  inputs: {
    positive: conditioning(),
    negative: conditioning(),
    positive_DEFAULT: conditioning(),
    negative_DEFAULT: conditioning(),
    hooks: hooks(),
  },
  outputs: both,
  run: ({ positive, negative, positive_DEFAULT, negative_DEFAULT, hooks }) => [
    [...positive, ...asDefault(positive_DEFAULT, hooks)],
    [...negative, ...asDefault(negative_DEFAULT, hooks)],
  ],
});

const range = (name?: string) => ({ type: 'TIMESTEPS_RANGE', ...(name !== undefined && { name }) });

const timestepsRange = node({
  name: 'ConditioningTimestepsRange',
  displayName: 'Timesteps Range',
  category: 'advanced/hooks',
  module: MODULE,
  experimental: true,
  description: 'A range of the sampling, and the ranges before and after it: 0 is the start, 1 the end.',
  inputs: { start_percent: fraction(0.0), end_percent: fraction(1.0) },
  outputs: [range(), range('BEFORE_RANGE'), range('AFTER_RANGE')],
  run: ({ start_percent, end_percent }) => [
    [start_percent, end_percent],
    [0, start_percent],
    [end_percent, 1],
  ],
});

export const conditioningPropertyNodes: AnyNode[] = [
  setProperties,
  setPropertiesAndCombine,
  pairSetProperties,
  pairSetPropertiesAndCombine,
  pairCombine,
  setDefaultCombine,
  pairSetDefaultCombine,
  timestepsRange,
];
