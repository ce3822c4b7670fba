import type { NoiseLevels } from '../../values/noise-levels.ts';

const OFFSET = 0.008;
/** Of alpha-bar 0.9999; the highest is of 0.0001. */
const LOWEST = Math.sqrt(0.0001 / 0.9999);
/** How many levels stand for all of them where a scheduler walks a table. */
const TABLE_SIZE = 10000;

/** cos^2 of Nichol and Dhariwal, "Improved denoising diffusion probabilistic models", 2021, equation 17, at time 0 to 1. */
const kept = (time: number) => Math.cos(((time + OFFSET) / (1 + OFFSET)) * (Math.PI / 2)) ** 2;

/**
 * The cosine schedule of Stable Cascade (Pernias et al., "Würstchen", 2023), its signal-to-noise ratio divided by shift^2,
 * so its levels times shift, for larger pictures (Hoogeboom et al., "simple diffusion", 2023, equation 4). The network is told the time at which the schedule
 * without a shift has that level.
 */
export function cascadeLevels(shift: number): NoiseLevels {
  const sigmaOf = (time: number): number => {
    const alphaBar = kept(time) / kept(0);
    const sigma = shift * Math.sqrt((1 - alphaBar) / alphaBar);
    return Math.min(Math.max(sigma, LOWEST), 1 / LOWEST);
  };
  const sigmas = Float32Array.from({ length: TABLE_SIZE }, (_, index) => sigmaOf((index + 1) / TABLE_SIZE));
  return {
    sigmas,
    sigmaMin: sigmas[0]!,
    sigmaMax: sigmas.at(-1)!,
    timestepOf(sigma) {
      const angle = Math.acos(Math.sqrt(kept(0) / (sigma * sigma + 1)));
      return (angle / (Math.PI / 2)) * (1 + OFFSET) - OFFSET;
    },
    sigmaOf,
    sigmaAt(percent) {
      if (percent <= 0) return 999999999.9;
      return percent >= 1 ? 0 : sigmaOf(1 - percent);
    },
  };
}
