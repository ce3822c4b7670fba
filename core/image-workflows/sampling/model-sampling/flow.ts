import type { NoiseLevels } from '../../values/noise-levels.ts';

/**
 * Shifts a flow's time towards noise: s t / (1 + (s - 1) t). Source: Esser et al., "Scaling rectified flow transformers
 * for high-resolution image synthesis", 2024, equation 23.
 */
export const shiftTime = (shift: number, time: number): number =>
  shift === 1 ? time : (shift * time) / (1 + (shift - 1) * time);

/** The shift by e^mu, in Flux's form: e^mu / (e^mu + (1/t - 1)). */
export const shiftTimeExponentially = (mu: number, time: number): number => shiftTime(Math.exp(mu), time);

/**
 * The levels of a flow model, up to sigma 1.
 *
 * @param multiplier the network's timestep for sigma 1.
 */
export function flowLevels(shift: number, multiplier = 1000, steps = 1000): NoiseLevels {
  return levels((time) => shiftTime(shift, time), multiplier, steps);
}

export function fluxLevels(mu: number): NoiseLevels {
  return levels((time) => shiftTimeExponentially(mu, time), 1, 10_000);
}

function levels(shift: (time: number) => number, multiplier: number, steps: number): NoiseLevels {
  const sigmas = Float32Array.from({ length: steps }, (_, index) => shift((index + 1) / steps));
  return {
    sigmas,
    sigmaMin: sigmas[0]!,
    sigmaMax: sigmas.at(-1)!,
    timestepOf: (sigma) => sigma * multiplier,
    sigmaOf: (timestep) => Math.fround(shift(timestep / multiplier)),
    sigmaAt(percent) {
      if (percent <= 0) return 1;
      return percent >= 1 ? 0 : shift(1 - percent);
    },
  };
}

/** Flux's mu for an image: linear in its number of 16 x 16 patches, from `base` for 256 to `max` for 4096. */
export function fluxShift(base: number, max: number, width: number, height: number): number {
  const slope = (max - base) / (4096 - 256);
  return ((width * height) / (16 * 16)) * slope + base - slope * 256;
}
