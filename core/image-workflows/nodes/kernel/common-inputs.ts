/** Inputs that many nodes have. Functions, because each use publishes an object of its own. */
import { float, type Input, int64 } from './inputs.ts';

/** A number from 0 to 1: a share of an image's side, of the sampling steps, or of a mixture. */
export const fraction = (value: number, step = 0.001): Input<number> =>
  float({ default: value, min: 0.0, max: 1.0, step });

/** How much a prompt or a hint counts: 1 by default, 10 at most. */
export const strength = (): Input<number> => float({ default: 1.0, min: 0.0, max: 10.0, step: 0.01 });

/** A seed of 64 bits, which editors may change after each execution. */
export const seed = (): Input<bigint> =>
  int64({ default: 0, min: 0, max: 18446744073709551615n, control_after_generate: true });

/** `hidden` of nodes that save the graph in their files. */
export const METADATA_INPUTS = { prompt: 'PROMPT', extra_pnginfo: 'EXTRA_PNGINFO' } as const;
