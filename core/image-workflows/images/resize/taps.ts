/**
 * Which samples, with which weights, make one output sample along an axis. Pixel centres are aligned at the edges
 * (`align_corners` false) and shrinking does not smooth, as torch's `interpolate` does by default.
 */
export interface Taps {
  /** Samples that each output is made of; windows that are shorter end in weights of 0. */
  readonly window: number;
  /** [out * window] */
  readonly index: Int32Array;
  /** [out * window] */
  readonly weight: Float64Array;
}

export type TapMethod = 'nearest-exact' | 'bilinear' | 'area' | 'bicubic';

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
  const made = make(to, 1);
  // in single precision: which sample a boundary falls to depends on it
  const scale = Math.fround(from / to);
  for (let at = 0; at < to; at++) {
    made.index[at] = Math.min(Math.floor(Math.fround((at + 0.5) * scale)), from - 1);
    made.weight[at] = 1;
  }
  return made;
}

function bilinear(from: number, to: number): Taps {
  const made = make(to, 2);
  const scale = Math.fround(from / to);
  for (let at = 0; at < to; at++) {
    const place = Math.fround(Math.max(0, scale * (at + 0.5) - 0.5));
    const low = Math.min(Math.floor(place), from - 1);
    const share = Math.min(Math.max(place - low, 0), 1);
    made.index[at * 2] = low;
    made.index[at * 2 + 1] = Math.min(low + 1, from - 1);
    made.weight[at * 2] = 1 - share;
    made.weight[at * 2 + 1] = share;
  }
  return made;
}

/** The mean of every sample that the output touches, all alike. */
function area(from: number, to: number): Taps {
  const window = Math.ceil(from / to) + 1;
  const made = make(to, window);
  for (let at = 0; at < to; at++) {
    const start = Math.floor((at * from) / to);
    const end = Math.ceil(((at + 1) * from) / to);
    for (let step = 0; step < end - start; step++) {
      made.index[at * window + step] = start + step;
      made.weight[at * window + step] = 1 / (end - start);
    }
  }
  return made;
}

/** Keys' cubic convolution with a = -0.75; samples beyond the edge repeat it. */
function bicubic(from: number, to: number): Taps {
  const made = make(to, 4);
  const scale = Math.fround(from / to);
  for (let at = 0; at < to; at++) {
    const place = Math.fround(scale * (at + 0.5) - 0.5);
    const low = Math.floor(place);
    const share = place - low;
    const weights = [far(share + 1), near(share), near(1 - share), far(2 - share)];
    for (let step = 0; step < 4; step++) {
      made.index[at * 4 + step] = Math.min(Math.max(low - 1 + step, 0), from - 1);
      made.weight[at * 4 + step] = weights[step]!;
    }
  }
  return made;
}

const A = -0.75;
const near = (x: number): number => ((A + 2) * x - (A + 3)) * x * x + 1;
const far = (x: number): number => ((A * x - 5 * A) * x + 8 * A) * x - 4 * A;
