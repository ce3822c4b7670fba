/** Strength, mask and part of the sampling of prompts, set at once; and prompts for wherever no other one counts. */

import type { Conditioning } from '../../values/conditioning.ts';
import { withOptions } from '../../values/conditioning.ts';
import { combineHooks, type Hooks } from '../../values/hooks.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { anyOf, choice, float, type Input, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const MODULE = 'comfy_extras.nodes_hooks';
const single = { category: 'advanced/hooks/cond single', module: MODULE, experimental: true } as const;
const pair = { category: 'advanced/hooks/cond pair', module: MODULE, experimental: true } as const;

type Range = readonly [start: number, end: number];

interface Properties {
  strength: number;
  set_cond_area: 'default' | 'mask bounds';
  mask?: FloatTensor | undefined;
  hooks?: Hooks | null | undefined;
  timesteps?: unknown;
}

const conditioning = () => link('CONDITIONING', undefined);
const hooks = (): Input<Hooks, false> => optional(link('HOOKS', undefined));
const properties = () => ({
  strength: float({ default: 1.0, min: 0.0, max: 10.0, step: 0.01 }),
  set_cond_area: choice(['default', 'mask bounds']),
});
const furtherProperties = () => ({
  mask: optional(link('MASK', undefined)),
  hooks: hooks(),
  timesteps: optional(anyOf('TIMESTEPS_RANGE', undefined)),
});

/** The strength is that of the mask; without one it says nothing, as in the system imitated. */
function withProperties(entries: Conditioning, values: Properties) {
  const { strength, set_cond_area, mask, hooks, timesteps } = values;
  const region = mask && {
    mask: mask.shape.length < 3 ? { ...mask, shape: [1, ...mask.shape] } : mask,
    maskStrength: strength,
    areaFromMask: set_cond_area !== 'default',
  };
  const range = timesteps as Range | null | undefined;
  return withOptions(withHooks(entries, hooks), {
    ...(region && { region }),
    ...(range && { schedule: { startPercent: range[0], endPercent: range[1] } }),
  });
}

/** Besides those that they have. */
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
  description: 'Mask, strength and part of the sampling of a prompt.',
  inputs: { cond_NEW: conditioning(), ...properties(), ...furtherProperties() },
  outputs: [output('CONDITIONING')],
  run: ({ cond_NEW, ...values }) => [withProperties(cond_NEW, values)],
});

const setPropertiesAndCombine = node({
  ...single,
  name: 'ConditioningSetPropertiesAndCombine',
  displayName: 'Cond Set Props Combine',
  description: 'A prompt beside another one, with a mask, a strength and a part of the sampling.',
  inputs: { cond: conditioning(), cond_NEW: conditioning(), ...properties(), ...furtherProperties() },
  outputs: [output('CONDITIONING')],
  run: ({ cond, cond_NEW, ...values }) => [[...cond, ...withProperties(cond_NEW, values)]],
});

const both = [output('CONDITIONING', 'positive'), output('CONDITIONING', 'negative')];

const pairSetProperties = node({
  ...pair,
  name: 'PairConditioningSetProperties',
  displayName: 'Cond Pair Set Props',
  description: 'Mask, strength and part of the sampling of a prompt and its negative one.',
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
    'A prompt and its negative one beside others, with a mask, a strength and a part of the sampling.',
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
  description: 'Two prompts and their negative ones, each seen on its own and the results averaged.',
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
  description: 'A second prompt for wherever the first does not count.',
  inputs: { cond: conditioning(), cond_DEFAULT: conditioning(), hooks: hooks() },
  outputs: [output('CONDITIONING')],
  run: ({ cond, cond_DEFAULT, hooks }) => [[...cond, ...asDefault(cond_DEFAULT, hooks)]],
});

const pairSetDefaultCombine = node({
  ...pair,
  name: 'PairConditioningSetDefaultCombine',
  displayName: 'Cond Pair Set Default Combine',
  description: 'A second prompt and its negative one for wherever the first do not count.',
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

const share = (value: number) => float({ default: value, min: 0.0, max: 1.0, step: 0.001 });
const range = (name?: string) => ({ type: 'TIMESTEPS_RANGE', ...(name !== undefined && { name }) });

const timestepsRange = node({
  name: 'ConditioningTimestepsRange',
  displayName: 'Timesteps Range',
  category: 'advanced/hooks',
  module: MODULE,
  experimental: true,
  description: 'A part of the sampling, and the parts before and behind it: 0 is its start, 1 its end.',
  inputs: { start_percent: share(0.0), end_percent: share(1.0) },
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
