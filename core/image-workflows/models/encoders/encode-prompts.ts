import type { ClipModel, ShownImages } from '../../values/clip-model.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import type { HookKeyframe, Hooks } from '../../values/hooks.ts';
import type { FloatTensor } from '../../values/tensor.ts';

/** Encodes a text: once, or once for each part of the schedule when the encoder has scheduled hooks. */
export async function encodePrompts(
  clip: ClipModel,
  text: string | Record<string, string>,
  signal: AbortSignal,
  silent?: readonly string[],
  images?: readonly FloatTensor[],
  shown?: ShownImages,
): Promise<Conditioning> {
  const { hooks } = clip;
  const parts = hooks?.isScheduled ? scheduleParts(hooks.hooks) : [wholeSchedule(hooks?.hooks ?? [])];
  const prompts: Conditioning = [];
  for (const { range, strengths } of parts) {
    let adapted = clip;
    for (const [hook, strength] of strengths) adapted = await adapted.withAdapter(hook.adapter, strength);
    const encoded = await adapted.encode(text, signal, silent, images, shown);
    const { tensor, pooled, attentionMask, languageLayers, secondText, lyrics, lyricStates, glyphs } =
      encoded;
    const options = {
      ...(pooled && { pooled }),
      ...(attentionMask && { attentionMask }),
      ...(languageLayers && { languageLayers }),
      ...(secondText && { secondText }),
      ...(glyphs && { glyphs }),
      ...(lyrics && { lyrics: { tokens: lyrics, strength: 1 } }),
      ...(lyricStates && { music: { lyrics: lyricStates } }),
      ...(hooks?.toPrompts && { hooks: hooks.hooks }),
      ...(range && { schedule: { encodedRange: range } }),
    };
    prompts.push({ tensor, options });
  }
  return prompts;
}

interface SchedulePart {
  /** Shares of the sampling, 0 to 1. Undefined: all of it. */
  range?: readonly [start: number, end: number];
  strengths: [hook: Hooks[number], strength: number][];
}

/** A schedule of one part, with the strengths that the hooks have at the start. */
const wholeSchedule = (hooks: Hooks): SchedulePart => ({
  strengths: withStrengths(hooks, ({ keyframes }) => keyframes[0]),
});

/** A new part begins wherever the strength of a hook changes. */
function scheduleParts(hooks: Hooks): SchedulePart[] {
  const bounds = new Set([0, 1]);
  for (const { keyframes } of hooks)
    for (const [index, { startPercent, strength }] of keyframes.entries())
      if (index === 0 || strength !== keyframes[index - 1]!.strength) bounds.add(startPercent);
  const sorted = [...bounds].sort((a, b) => a - b);
  if (sorted.length === 2) return [wholeSchedule(hooks)];
  return sorted.slice(0, -1).map((start, index) => ({
    range: [start, sorted[index + 1]!],
    strengths: withStrengths(hooks, ({ keyframes }) =>
      keyframes.findLast(({ startPercent }) => startPercent <= start),
    ),
  }));
}

/** Before its first keyframe, a hook has its own strength. Hooks of strength 0 are left out. */
function withStrengths(
  hooks: Hooks,
  keyframeOf: (hook: Hooks[number]) => HookKeyframe | undefined,
): SchedulePart['strengths'] {
  return hooks
    .map((hook): [Hooks[number], number] => [hook, hook.strengthClip * (keyframeOf(hook)?.strength ?? 1)])
    .filter(([, strength]) => strength !== 0);
}
