import type { NoiseLevels } from '../../values/noise-levels.ts';

export interface BetaSchedule {
  kind: 'linear' | 'scaled_linear' | 'squaredcos_cap_v2';
  start: number;
  end: number;
  steps: number;
}

/** The training schedule of Stable Diffusion 1, 2 and XL. */
export const stableDiffusionBetas: BetaSchedule = {
  kind: 'scaled_linear',
  start: 0.00085,
  end: 0.012,
  steps: 1000,
};

/** sqrt((1 - abar) / abar) at each training step. abar is the running product of 1 - beta (DDPM, Ho et al., 2020, equation 4). */
export function sigmasOfBetas(schedule: BetaSchedule): Float64Array {
  let alphaBar = 1;
  return Float64Array.from(betas(schedule), (beta) => {
    alphaBar *= 1 - beta;
    return Math.sqrt((1 - alphaBar) / alphaBar);
  });
}

function betas({ kind, start, end, steps }: BetaSchedule): number[] {
  const share = (index: number) => index / Math.max(steps - 1, 1);
  const all = Array.from({ length: steps }, (_, index) => index);
  if (kind === 'linear') return all.map((index) => start + (end - start) * share(index));
  if (kind === 'scaled_linear') {
    const [from, to] = [Math.sqrt(start), Math.sqrt(end)];
    return all.map((index) => (from + (to - from) * share(index)) ** 2);
  }
  // Nichol and Dhariwal, "Improved denoising diffusion probabilistic models", 2021, equation 17.
  const cosine = (time: number) => Math.cos(((time + 0.008) / 1.008) * (Math.PI / 2)) ** 2;
  return all.map((index) => Math.min(1 - cosine((index + 1) / steps) / cosine(index / steps), 0.999));
}

/**
 * Rescales levels so that the last is pure noise (Lin et al., "Common diffusion noise schedules and sample steps are
 * flawed", 2023, algorithm 1). The last level is very large but finite, so that arithmetic works.
 */
export function zeroTerminalSnr(sigmas: Float64Array): Float64Array {
  const roots = Float64Array.from(sigmas, (sigma) => Math.sqrt(1 / (sigma * sigma + 1)));
  const first = roots[0]!;
  const last = roots.at(-1)!;
  return Float64Array.from(roots, (root, index) => {
    const alphaBar =
      index === roots.length - 1 ? 4.8973451890853435e-8 : (((root - last) * first) / (first - last)) ** 2;
    return Math.sqrt((1 - alphaBar) / alphaBar);
  });
}

/**
 * A table of levels, whose timesteps are their indices. Between two entries, log sigma is linear. Each operation rounds
 * to single precision, as torch does: Brownian noise depends on levels to 1e-6, which is near that precision.
 */
export function tabulatedLevels(table: Float64Array): NoiseLevels {
  const sigmas = Float32Array.from(table);
  const logs = Float32Array.from(table, Math.log);
  const last = sigmas.length - 1;
  const sigmaOf = (timestep: number): number => {
    const index = Math.min(Math.max(timestep, 0), last);
    const [low, high] = [Math.floor(index), Math.ceil(index)];
    const weight = Math.fround(index - low);
    const [before, after] = [Math.fround((1 - weight) * logs[low]!), Math.fround(weight * logs[high]!)];
    return Math.fround(Math.exp(Math.fround(before + after)));
  };
  return {
    sigmas,
    sigmaMin: sigmas[0]!,
    sigmaMax: sigmas[last]!,
    timestepOf: (sigma) => nearest(logs, Math.log(sigma)),
    sigmaOf,
    sigmaAt(percent) {
      if (percent <= 0) return 999999999.9;
      return percent >= 1 ? 0 : sigmaOf((1 - percent) * last);
    },
  };
}

/**
 * Levels of a model that was distilled to `count` of its teacher's steps (Luo et al., "Latent consistency models",
 * 2023). It knows equally spaced levels of the teacher, by the teacher's timesteps.
 */
export function distilledLevels(teacher: Float64Array, count = 50): NoiseLevels {
  const stride = Math.floor(teacher.length / count);
  const sigmas = new Float64Array(count);
  for (let i = 0; i < count; i++) sigmas[count - 1 - i] = teacher[teacher.length - 1 - i * stride]!;
  const levels = tabulatedLevels(sigmas);
  const sigmaOf = (timestep: number) => levels.sigmaOf((timestep - (stride - 1)) / stride);
  return {
    ...levels,
    timestepOf: (sigma) => levels.timestepOf(sigma) * stride + (stride - 1),
    sigmaOf,
    sigmaAt(percent) {
      if (percent <= 0) return 999999999.9;
      return percent >= 1 ? 0 : sigmaOf((1 - percent) * (teacher.length - 1));
    },
  };
}

/** The index of the element nearest to `value`. Of two equally near ones, the lower. */
function nearest(ascending: Float32Array, value: number): number {
  let [low, high] = [0, ascending.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! <= value) low = middle;
    else high = middle;
  }
  return Math.abs(ascending[high]! - value) < Math.abs(ascending[low]! - value) ? high : low;
}
