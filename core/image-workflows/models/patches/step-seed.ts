/** Of random numbers that a noise level always gives. */
export const seedOf = (timestep: number): number => Math.round(timestep * 1000);
