/**
 * The windows of a long latent, as lists of frames. Uniform windows follow AnimateDiff-Evolved's and its predecessors'
 * schedule: their start moves from step to step by the bit-reversed number of the step.
 */
import { roundHalfEven } from '../../images/rounding.ts';
import type { ContextWindows } from '../../values/context-windows.ts';

/** The windows at a step of the sampling, for a latent of `frames`. */
export function windowsAt(windows: ContextWindows, frames: number, step: number): number[][] {
  if (frames <= windows.length) return [range(0, frames)];
  switch (windows.schedule) {
    case 'standard_static':
      return staticWindows(windows, frames);
    case 'batched':
      return Array.from({ length: Math.ceil(frames / windows.length) }, (_, at) =>
        range(at * windows.length, Math.min((at + 1) * windows.length, frames)),
      );
    case 'looped_uniform':
      return loopedWindows(windows, frames, step);
    case 'standard_uniform':
      return withoutLoops(loopedWindows(windows, frames, step), windows.length, frames);
  }
}

const range = (start: number, end: number): number[] =>
  Array.from({ length: end - start }, (_, at) => start + at);

/** Each window but the last begins `length - overlap` after the one before. */
function staticWindows({ length, overlap }: ContextWindows, frames: number): number[][] {
  const step = Math.max(1, length - overlap);
  const all: number[][] = [];
  for (let start = 0; start + length < frames; start += step) all.push(range(start, start + length));
  return [...all, range(frames - length, frames)];
}

function loopedWindows(
  { length, overlap, stride, isClosed }: ContextWindows,
  frames: number,
  step: number,
): number[][] {
  const share = reversedBits(step);
  const kinds = Math.min(stride, Math.ceil(Math.log2(frames / length)) + 1);
  const all: number[][] = [];
  for (let kind = 0; kind < kinds; kind++) {
    const distance = 2 ** kind;
    const shift = roundHalfEven(frames * share);
    const end = frames + shift - (isClosed ? 0 : overlap);
    const between = Math.max(1, length * distance - overlap);
    for (let start = Math.floor(share * distance) + shift; start < end; start += between)
      all.push(Array.from({ length }, (_, at) => (start + at * distance) % frames));
  }
  return all;
}

/** The digits of a binary number behind the point, in reverse order: 1 is 1/2, 2 is 1/4, 3 is 3/4. */
function reversedBits(step: number): number {
  let [rest, digit, result] = [step, 0.5, 0];
  for (; rest > 0; rest = Math.floor(rest / 2), digit /= 2) if (rest % 2 === 1) result += digit;
  return result;
}

/** Windows that go on at the first frame move to the end, and the frames at the start get a window of their own. */
function withoutLoops(looped: readonly (readonly number[])[], length: number, frames: number): number[][] {
  const all = looped.map((window) => [...window]);
  for (let at = 0; at < all.length; at++) {
    const window = all[at]!;
    const first = window.findIndex((frame, place) => place > 0 && frame < window[place - 1]!);
    if (first < 0) continue;
    const frame = window[first]!;
    const start = window[0]!;
    const moved = window.map((each) => (each - start + frames) % frames);
    const left = frames - moved.at(-1)! - 1;
    all[at] = moved.map((each) => each + left);
    if (!all[(at + 1) % all.length]!.includes(frame)) all.splice(at + 1, 0, range(frame, frame + length));
  }
  return all.filter((window, at) => all.findIndex((each) => each.join() === window.join()) === at);
}
