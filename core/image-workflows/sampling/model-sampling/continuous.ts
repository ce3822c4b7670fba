import type { NoiseLevels } from '../../values/noise-levels.ts';

/** The number of levels in the table that stands for the continuous range. */
const TABLE_SIZE = 1000;

interface TimeScale {
  timestepOf(sigma: number): number;
  sigmaOf(timestep: number): number;
}

/** c_noise of Karras et al., "Elucidating the design space of diffusion-based generative models" (EDM), 2022, table 1. */
export const logarithmicTime: TimeScale = {
  timestepOf: (sigma) => 0.25 * Math.log(sigma),
  sigmaOf: (timestep) => Math.exp(timestep / 0.25),
};

/** The angle atan(sigma) as a share of a right angle. */
export const angularTime: TimeScale = {
  timestepOf: (sigma) => (Math.atan(sigma) / Math.PI) * 2,
  sigmaOf: (timestep) => Math.tan((timestep * Math.PI) / 2),
};

/** The time of a flow, from 0 to 1. */
export const flowTime: TimeScale = {
  timestepOf: (sigma) => sigma / (1 + sigma),
  sigmaOf: (timestep) => timestep / (1 - timestep),
};

/** Continuous noise levels between two sigmas. A percentage of the sampling corresponds linearly to log sigma. */
export function continuousLevels(sigmaMin: number, sigmaMax: number, time: TimeScale): NoiseLevels {
  const [low, high] = [Math.log(sigmaMin), Math.log(sigmaMax)];
  const sigmas = Float32Array.from({ length: TABLE_SIZE }, (_, index) =>
    Math.exp(low + ((high - low) * index) / (TABLE_SIZE - 1)),
  );
  return {
    ...time,
    sigmas,
    sigmaMin: sigmas[0]!,
    sigmaMax: sigmas.at(-1)!,
    sigmaAt(percent) {
      if (percent <= 0) return 999999999.9;
      return percent >= 1 ? 0 : Math.exp((1 - percent) * (high - low) + low);
    },
  };
}
