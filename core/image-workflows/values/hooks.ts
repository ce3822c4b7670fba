/** Hooks: adapters that count for some prompts only, with a strength that may change during the sampling. */
import type { AnyAdapter } from './adapter.ts';

/** The strength of a hook from one point of the sampling on. */
export interface HookKeyframe {
  /** Multiplies the hook's own strength. */
  readonly strength: number;
  /** Share of the sampling, 0 to 1. */
  readonly startPercent: number;
  /** The keyframe stays active for at least this many steps, even when the next one starts earlier. */
  readonly minSteps: number;
}

export interface Hook {
  /** Identifies a hook and its copies. When several are combined, only the first one counts. */
  readonly origin: object;
  readonly adapter: AnyAdapter;
  readonly strengthModel: number;
  readonly strengthClip: number;
  /** Sorted by their start. Empty: the strength never changes. */
  readonly keyframes: readonly HookKeyframe[];
}

export type Hooks = readonly Hook[];

/** How a text encoder uses hooks. */
export interface ClipHooks {
  readonly hooks: Hooks;
  /** The encoded prompts carry the hooks, so that the sampler applies them to the network. */
  readonly toPrompts: boolean;
  /** Prompts are encoded once for each part of the schedule. */
  readonly isScheduled: boolean;
}

/** All hooks of the groups without repetitions. Undefined when every group is missing. */
export function combineHooks(groups: readonly (Hooks | null | undefined)[]): Hooks | undefined {
  const present = groups.filter((group) => group !== null && group !== undefined);
  if (present.length < 2) return present[0];
  const all = present.flat();
  return all.filter((hook, index) => all.findIndex(({ origin }) => origin === hook.origin) === index);
}
