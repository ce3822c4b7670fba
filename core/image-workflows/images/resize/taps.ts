/**
 * Indices and weights of the input samples of each output sample along an axis. They are those of torch's `interpolate`
 * without `align_corners` and antialiasing.
 */
export interface Taps {
  /** Input samples for each output sample. Shorter windows end with weights of 0. */
  readonly window: number;
  /** [out * window] */
  readonly index: Int32Array;
  /** [out * window] */
  readonly weight: Float64Array;
}

export type TapMethod = 'nearest-exact' | 'bilinear' | 'area' | 'bicubic';

/** The taps to resize `from` samples to `to`. */
export function resizeTaps(method: TapMethod, from: number, to: number): Taps {
  switch (method) {
    case 'nearest-exact':
      return nearestExact(from, to);
    case 'bilinear':
      return bilinear(from, to);
    case 'area':
      return area(from, to);
    case 'bicubic':
      return bicubic(from, to);
  }
}

const make = (to: number, window: number): Taps => ({
  window,
  index: new Int32Array(to * window),
  weight: new Float64Array(to * window),
});

function nearestExact(from: number, to: number): Taps {
  const taps = make(to, 1);
  // The precision decides which sample a boundary belongs to: torch uses single precision.
  const scale = Math.fround(from / to);
  for (let at = 0; at < to; at++) {
    taps.index[at] = Math.min(Math.floor(Math.fround((at + 0.5) * scale)), from - 1);
    taps.weight[at] = 1;
  }
  return taps;
}

function bilinear(from: number, to: number): Taps {
  const taps = make(to, 2);
  const scale = Math.fround(from / to);
  for (let at = 0; at < to; at++) {
    const position = Math.fround(Math.max(0, scale * (at + 0.5) - 0.5));
    const low = Math.min(Math.floor(position), from - 1);
    const share = Math.min(Math.max(position - low, 0), 1);
    taps.index[at * 2] = low;
    taps.index[at * 2 + 1] = Math.min(low + 1, from - 1);
    taps.weight[at * 2] = 1 - share;
    taps.weight[at * 2 + 1] = share;
  }
  return taps;
}

/** The mean of all input samples that an output sample overlaps. */
function area(from: number, to: number): Taps {
  const window = Math.ceil(from / to) + 1;
  const taps = make(to, window);
  for (let at = 0; at < to; at++) {
    const start = Math.floor((at * from) / to);
    const end = Math.ceil(((at + 1) * from) / to);
    for (let step = 0; step < end - start; step++) {
      taps.index[at * window + step] = start + step;
      taps.weight[at * window + step] = 1 / (end - start);
    }
  }
  return taps;
}

/** Keys' cubic convolution with a = -0.75. Repeats the samples at the edges. */
function bicubic(from: number, to: number): Taps {
  const taps = make(to, 4);
  const scale = Math.fround(from / to);
  for (let at = 0; at < to; at++) {
    const position = Math.fround(scale * (at + 0.5) - 0.5);
    const low = Math.floor(position);
    const share = position - low;
    const weights = [far(share + 1), near(share), near(1 - share), far(2 - share)];
    for (let step = 0; step < 4; step++) {
      taps.index[at * 4 + step] = Math.min(Math.max(low - 1 + step, 0), from - 1);
      taps.weight[at * 4 + step] = weights[step]!;
    }
  }
  return taps;
}

const A = -0.75;
const near = (x: number): number => ((A + 2) * x - (A + 3)) * x * x + 1;
const far = (x: number): number => ((A * x - 5 * A) * x + 8 * A) * x - 4 * A;
