import type { NoiseLevels } from '../../values/noise-levels.ts';

const OFFSET = 0.008;
/** The level of alpha-bar 0.9999. The highest level, of alpha-bar 0.0001, is its inverse. */
const LOWEST = Math.sqrt(0.0001 / 0.9999);
/** The number of levels in the table that stands for the continuous schedule. */
const TABLE_SIZE = 10000;

const f = Math.fround;

/** f(t) of Nichol and Dhariwal, "Improved denoising diffusion probabilistic models", 2021, equation 17, for t from 0 to 1. */
const cosine = (time: number) => Math.cos(((time + OFFSET) / (1 + OFFSET)) * (Math.PI / 2)) ** 2;

/** `cosine(0)` with each step in single precision. */
const FIRST = f(f(Math.cos(f(f(f(OFFSET) / f(1 + OFFSET)) * f(Math.PI / 2)))) ** 2);

/**
 * The cosine schedule of Stable Cascade (Pernias et al., "Würstchen", 2023). For larger images its levels are multiplied
 * by `shift` (Hoogeboom et al., "simple diffusion", 2023, equation 4). The network's timestep for a level is the time at
 * which the unshifted schedule has it.
 */
export function cascadeLevels(shift: number): NoiseLevels {
  const sigmaOf = (time: number): number => {
    const alphaBar = cosine(time) / cosine(0);
    const sigma = shift * Math.sqrt((1 - alphaBar) / alphaBar);
    return Math.min(Math.max(sigma, LOWEST), 1 / LOWEST);
  };
  const sigmas = Float32Array.from({ length: TABLE_SIZE }, (_, index) => sigmaOf((index + 1) / TABLE_SIZE));
  return {
    sigmas,
    sigmaMin: sigmas[0]!,
    sigmaMax: sigmas.at(-1)!,
    timestepOf(sigma) {
      // In single precision: the network multiplies the time by 10,000 before it takes sines.
      const alphaBar = f(1 / f(f(f(sigma) * f(sigma)) + 1));
      const angle = f(Math.acos(f(Math.sqrt(f(alphaBar * FIRST)))));
      return f(f(f(angle / f(Math.PI / 2)) * f(1 + OFFSET)) - f(OFFSET));
    },
    sigmaOf,
    sigmaAt(percent) {
      if (percent <= 0) return 999999999.9;
      return percent >= 1 ? 0 : sigmaOf(1 - percent);
    },
  };
}
