/** Long latents in windows: the clean latents of all windows are mixed where they overlap. */
import type { ContextWindows } from '../../values/context-windows.ts';
import { elementCount, type FloatTensor, zeros } from '../../values/tensor.ts';
import type { Predict } from './prediction.ts';
import type { Region } from './regions.ts';
import { windowsAt } from './window-schedule.ts';

/** The smallest weight of a frame. */
const [TINY, LEAST] = [1e-37, 1e-2];

/** Predicts each window with `predict`. Latents that fit in a window are predicted as they are. */
export function inWindows(windows: ContextWindows, predict: Predict): Predict {
  const sigmas: number[] = [];
  return async (lists, x, sigma, activePatches) => {
    const frames = x.shape[windows.axis] ?? 1;
    if (frames <= windows.length) return predict(lists, x, sigma, activePatches);
    if (!sigmas.includes(sigma)) sigmas.push(sigma);
    const mixed = lists.map(() => new WindowMix(windows, x.shape));
    for (const frameList of windowsAt(windows, frames, sigmas.indexOf(sigma))) {
      const cut = (tensor: FloatTensor) => takeFrames(tensor, windows.axis, frames, frameList);
      const parts = lists.map((regions) => regions.map((region) => cutRegion(region, cut)));
      const results = await predict(parts, cut(x), sigma, activePatches);
      for (const [at, result] of results.entries()) mixed[at]!.add(frameList, result);
    }
    return mixed.map((mix) => mix.result());
  };
}

/** Takes frames of a tensor that has as many along the axis as the latent. Other tensors stay. */
function takeFrames(
  { shape, data }: FloatTensor,
  axis: number,
  frames: number,
  list: readonly number[],
): FloatTensor {
  if (shape[axis] !== frames) return { shape, data };
  const size = elementCount(shape.slice(axis + 1));
  const rows = elementCount(shape.slice(0, axis));
  const result = zeros([...shape.slice(0, axis), list.length, ...shape.slice(axis + 1)]);
  for (let row = 0; row < rows; row++)
    for (const [at, frame] of list.entries()) {
      const from = (row * frames + frame) * size;
      result.data.set(data.subarray(from, from + size), (row * list.length + at) * size);
    }
  return result;
}

/** The inputs of a region for the frames of a window. */
function cutRegion(region: Region, cut: (tensor: FloatTensor) => FloatTensor): Region {
  const { concat, imageInputs, mask } = region;
  const { noiseMask, videoInputs, vision, ...others } = imageInputs ?? {};
  const guides = Object.entries(videoInputs ?? {}).map(([name, tensor]) => [name, cut(tensor)] as const);
  return {
    ...region,
    mask: mask && cut(mask),
    ...(concat && { concat: cut(concat) }),
    ...(imageInputs && {
      imageInputs: {
        ...others,
        ...(vision && { vision }),
        ...(noiseMask && { noiseMask: cut(noiseMask) }),
        ...(videoInputs && { videoInputs: Object.fromEntries(guides) }),
      },
    }),
  };
}

/** The weighted mean of windows. */
class WindowMix {
  readonly #sum: Float32Array;
  readonly #weights: Float64Array;
  readonly #windows: ContextWindows;
  readonly #shape: readonly number[];

  /** @param shape of the latent */
  constructor(windows: ContextWindows, shape: readonly number[]) {
    this.#windows = windows;
    this.#shape = shape;
    this.#sum = new Float32Array(elementCount(shape));
    this.#weights = new Float64Array(shape[windows.axis]!);
  }

  /** @param frames of the latent that the result of the window belongs to, in its order */
  add(frames: readonly number[], { data }: FloatTensor): void {
    const { axis } = this.#windows;
    const size = elementCount(this.#shape.slice(axis + 1));
    const rows = elementCount(this.#shape.slice(0, axis));
    const all = this.#shape[axis]!;
    const weights = windowWeights(this.#windows, frames, all);
    for (const [at, frame] of frames.entries()) {
      this.#weights[frame]! += weights[at]!;
      for (let row = 0; row < rows; row++) {
        const [from, to] = [(row * frames.length + at) * size, (row * all + frame) * size];
        for (let cell = 0; cell < size; cell++) this.#sum[to + cell]! += weights[at]! * data[from + cell]!;
      }
    }
  }

  /** Frames that no window has are 0. */
  result(): FloatTensor {
    const size = elementCount(this.#shape.slice(this.#windows.axis + 1));
    const data = this.#sum.map(
      (value, at) => value / (this.#weights[Math.floor(at / size) % this.#weights.length] || 1),
    );
    return { shape: this.#shape, data };
  }
}

/** The weight of each frame of a window. @param all frames of the latent */
function windowWeights({ fuse, overlap }: ContextWindows, frames: readonly number[], all: number): number[] {
  const { length } = frames;
  const weights = new Array<number>(length).fill(1);
  switch (fuse) {
    case 'flat':
      return weights;
    case 'pyramid':
      return weights.map((_, at) => Math.min(at + 1, length - at));
    case 'relative': {
      const [first, last] = [frames[0]!, frames.at(-1)!];
      return frames.map((frame) =>
        Math.max(LEAST, 1 - Math.abs(frame - (first + last) / 2) / ((last - first + LEAST) / 2)),
      );
    }
    case 'overlap-linear': {
      const ramp = (at: number) => (overlap === 1 ? TINY : TINY + (at / (overlap - 1)) * (1 - TINY));
      const shared = Math.min(overlap, length);
      if (Math.min(...frames) > 0) for (let at = 0; at < shared; at++) weights[at] = ramp(at);
      if (Math.max(...frames) < all - 1)
        for (let at = 0; at < shared; at++) weights[length - 1 - at] = ramp(at);
      return weights;
    }
  }
}
