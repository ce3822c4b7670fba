/** Of random numbers that a noise level always gives. */
export const stepSeed = (timestep: number): number => Math.round(timestep * 1000);
