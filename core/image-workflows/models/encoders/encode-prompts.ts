import type { ClipModel } from '../../values/clip-model.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import type { HookKeyframe, Hooks } from '../../values/hooks.ts';

/** A text as prompts: one, or one for each part of the schedule of the adapters that the encoder was given. */
export async function encodePrompts(
  clip: ClipModel,
  text: string | Record<string, string>,
  signal: AbortSignal,
  silent?: readonly string[],
): Promise<Conditioning> {
  const { hooks } = clip;
  const parts = hooks?.isScheduled ? scheduled(hooks.hooks) : [whole(hooks?.hooks ?? [])];
  const prompts: Conditioning = [];
  for (const { range, strengths } of parts) {
    let own = clip;
    for (const [hook, strength] of strengths) own = await own.withAdapter(hook.adapter, strength);
    const { tensor, pooled } = await own.encode(text, signal, silent);
    const options = {
      ...(pooled && { pooled }),
      ...(hooks?.toPrompts && { hooks: hooks.hooks }),
      ...(range && { schedule: { encodedRange: range } }),
    };
    prompts.push({ tensor, options });
  }
  return prompts;
}

interface Part {
  /** Shares of the sampling; undefined: all of it. */
  range?: readonly [start: number, end: number];
  strengths: [hook: Hooks[number], strength: number][];
}

/** As strongly as they begin. */
const whole = (hooks: Hooks): Part => ({ strengths: withStrengths(hooks, ({ keyframes }) => keyframes[0]) });

/** Where the strength of one changes, another part begins. */
function scheduled(hooks: Hooks): Part[] {
  const bounds = new Set([0, 1]);
  for (const { keyframes } of hooks)
    for (const [index, { startPercent, strength }] of keyframes.entries())
      if (index === 0 || strength !== keyframes[index - 1]!.strength) bounds.add(startPercent);
  const sorted = [...bounds].sort((a, b) => a - b);
  if (sorted.length === 2) return [whole(hooks)];
  return sorted.slice(0, -1).map((start, index) => ({
    range: [start, sorted[index + 1]!],
    strengths: withStrengths(hooks, ({ keyframes }) =>
      keyframes.findLast(({ startPercent }) => startPercent <= start),
    ),
  }));
}

/** Before its first keyframe a hook counts as it is. Those that count nothing are left out. */
function withStrengths(
  hooks: Hooks,
  keyframeOf: (hook: Hooks[number]) => HookKeyframe | undefined,
): Part['strengths'] {
  return hooks
    .map((hook): [Hooks[number], number] => [hook, hook.strengthClip * (keyframeOf(hook)?.strength ?? 1)])
    .filter(([, strength]) => strength !== 0);
}
