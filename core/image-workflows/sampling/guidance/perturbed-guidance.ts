import type { AfterGuidance, InForce } from '../../values/sampling.ts';
import { combine, type FloatTensor } from '../tensor-math.ts';

export interface AwayOptions {
  scale: number;
  /** The noise levels at which it is done, both included. Default: all. */
  between?: { highest: number; lowest: number };
  /** The share, 0 to 1, to which the result is to spread as widely as what is seen of the prompt. Default: 0. */
  spread?: number;
}

/**
 * Leads away from what the model sees of its prompt with one change to its inside on: denoised + scale (cond - changed), as Ahn
 * et al., "Self-rectifying diffusion sampling with perturbed-attention guidance", 2024, equation 11.
 */
export function awayFrom(key: string, { scale, between, spread = 0 }: AwayOptions): AfterGuidance {
  const inForce: InForce = { switches: new Set([key]) };
  const change: AfterGuidance = async ({ x, sigma, cond, denoised }, ask) => {
    if (between && (sigma > between.highest || sigma < between.lowest)) return denoised;
    const led = combine([1, denoised], [scale, cond], [-scale, await ask('with', x, inForce)]);
    const width = spread === 0 ? 0 : deviation(led);
    return width === 0 ? led : combine([1 - spread + (spread * deviation(cond)) / width, led]);
  };
  return Object.assign(change, { ofPromptAlone: true } as const);
}

/** The standard deviation of all numbers. */
function deviation({ data }: FloatTensor): number {
  let sum = 0;
  for (const value of data) sum += value;
  const mean = sum / data.length;
  let squares = 0;
  for (const value of data) squares += (value - mean) ** 2;
  return Math.sqrt(squares / data.length);
}
