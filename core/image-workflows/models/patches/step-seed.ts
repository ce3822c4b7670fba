/** A seed that depends only on the noise level, so that a step draws the same numbers for all prompts. */
export const stepSeed = (timestep: number): number => Math.round(timestep * 1000);
