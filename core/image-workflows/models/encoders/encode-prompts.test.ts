import { describe, expect, it } from 'vitest';
import type { AnyAdapter } from '../../values/adapter.ts';
import type { ClipModel } from '../../values/clip-model.ts';
import type { ClipHooks, Hook, HookKeyframe } from '../../values/hooks.ts';
import { full } from '../../values/tensor.ts';
import { encodePrompts } from './encode-prompts.ts';

const { signal } = new AbortController();

/** A text encoder whose embedding is the sum of the strengths of its adapters. */
function clipWith(hooks: ClipHooks | undefined, sum = 0): ClipModel {
  return {
    ...(hooks && { hooks }),
    encode: async () => ({ tensor: full([1, 1, 1], sum) }),
    withAdapter: async (_adapter: AnyAdapter, strength: number) => clipWith(hooks, sum + strength),
  } as unknown as ClipModel;
}
const keyframe = (startPercent: number, strength: number): HookKeyframe => ({
  startPercent,
  strength,
  minSteps: 1,
});
const hook = (strengthClip: number, ...keyframes: HookKeyframe[]): Hook => ({
  origin: {},
  adapter: { name: 'a', parts: [] },
  strengthModel: 1,
  strengthClip,
  keyframes,
});

async function encode(isScheduled: boolean, ...hooks: Hook[]) {
  const prompts = await encodePrompts(clipWith({ hooks, toPrompts: false, isScheduled }), 'cat', signal);
  return prompts.map(({ tensor, options }) => [tensor.data[0], options.schedule?.encodedRange]);
}

describe('encodePrompts', () => {
  it('encodes once without hooks', async () => {
    expect(await encodePrompts(clipWith(undefined), 'cat', signal)).toEqual([
      { tensor: full([1, 1, 1], 0), options: {} },
    ]);
  });

  it('applies hooks with the strength of their first keyframe when they are not scheduled', async () => {
    expect(await encode(false, hook(2, keyframe(0.5, 0.25)), hook(1))).toEqual([[1.5, undefined]]);
  });

  it('encodes each part of the schedule in which the strengths are equal', async () => {
    const first = hook(2, keyframe(0, 0.5), keyframe(0.25, 0.5), keyframe(0.5, 1));
    const second = hook(10, keyframe(0.75, 0));
    expect(await encode(true, first, second)).toEqual([
      [11, [0, 0.5]],
      [12, [0.5, 0.75]],
      [2, [0.75, 1]],
    ]);
  });

  it('encodes scheduled hooks once when their strength never changes', async () => {
    expect(await encode(true, hook(3), hook(1, keyframe(0, 2)))).toEqual([[5, undefined]]);
  });

  it('passes hooks to the prompts when the encoder asks for it', async () => {
    const hooks = [hook(1)];
    const clip = clipWith({ hooks, toPrompts: true, isScheduled: false });
    expect((await encodePrompts(clip, 'cat', signal))[0]!.options.hooks).toBe(hooks);
  });
});
