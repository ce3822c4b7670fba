/** Adapters that prompts bring along: they count for these prompts only, as strongly as a schedule says. */
import type { AnyAdapter } from '../models/adapters/read-adapter.ts';

/** From a share of the sampling on, an adapter counts so strongly. */
export interface HookKeyframe {
  /** Times the hook's own strength. */
  readonly strength: number;
  readonly startPercent: number;
  /** It stays for so many steps, whatever comes next. */
  readonly leastSteps: number;
}

export interface Hook {
  /** Copies of one hook have one: of several, the first counts. */
  readonly origin: object;
  readonly adapter: AnyAdapter;
  readonly strengthModel: number;
  readonly strengthClip: number;
  /** By their start; none: always as it is. */
  readonly keyframes: readonly HookKeyframe[];
}

export type Hooks = readonly Hook[];

/** What text encoders do with them. */
export interface ClipHooks {
  readonly hooks: Hooks;
  /** Prompts bring them to the sampler, too. */
  readonly toPrompts: boolean;
  /** Prompts are encoded once for each part of the schedule. */
  readonly isScheduled: boolean;
}

export function combinedHooks(groups: readonly (Hooks | null | undefined)[]): Hooks | undefined {
  const given = groups.filter((group) => group !== null && group !== undefined);
  if (given.length < 2) return given[0];
  const all = given.flat();
  return all.filter((hook, place) => all.findIndex(({ origin }) => origin === hook.origin) === place);
}
