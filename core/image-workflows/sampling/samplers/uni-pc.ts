import type { Sampler } from '../../values/sampler.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { combine, type Term } from '../tensor-math.ts';

/** The solver works on variance-preserving states x / sqrt(1 + sigma^2). These are their coefficients of image and noise. */
const alphaOf = (sigma: number): number => 1 / Math.sqrt(1 + sigma ** 2);
const spreadOf = (sigma: number): number => sigma * alphaOf(sigma);

/** Replaces a last level of 0, where lambda is infinite. */
const LAST_LEVEL = 0.001;

/**
 * UniPC (Zhao et al., "UniPC: a unified predictor-corrector framework for fast sampling of diffusion models", 2023,
 * algorithms 5 and 6). B(h) is e^h - 1 with `bh2`, otherwise h.
 */
export const uniPc =
  ({ bh2 = false } = {}): Sampler =>
  async (start, run) => {
    const sigmas = run.sigmas.slice();
    const steps = sigmas.length - 1;
    if (sigmas[steps] === 0) sigmas[steps] = Math.fround(LAST_LEVEL);
    const maxOrder = Math.min(3, steps - 1);
    let x = combine([alphaOf(sigmas[0]!), start]);
    // Clean latents, newest first.
    const history: { denoised: FloatTensor; sigma: number }[] = [];
    const evaluate = (state: FloatTensor, sigma: number) =>
      run.denoise(combine([1 / alphaOf(sigma), state]), sigma);
    for (let i = 0; i <= steps; i++) {
      const sigma = sigmas[i]!;
      const order = Math.min(Math.max(maxOrder, 1), i, steps + 1 - i);
      let denoised: FloatTensor | undefined;
      if (i > 0) {
        const update = coefficients(history, sigma, order, bh2);
        const predicted = combine(...update.terms(x, undefined));
        // The model is not run at the last level.
        if (i === steps) x = predicted;
        else {
          denoised = await evaluate(predicted, sigma);
          x = combine(...update.terms(x, denoised));
        }
      } else denoised = await evaluate(x, sigma);
      if (!denoised) break;
      await run.step(i, x, denoised);
      history.unshift({ denoised, sigma });
      history.length = Math.min(history.length, 3);
    }
    return combine([1 / alphaOf(sigmas[steps]!), x]);
  };

/** The update to `sigma` as a linear combination: the predictor's, or with a clean latent at `sigma` the corrector's. */
function coefficients(
  history: readonly { denoised: FloatTensor; sigma: number }[],
  sigma: number,
  order: number,
  bh2: boolean,
) {
  const newest = history[0]!;
  const h = Math.log(newest.sigma / sigma);
  const alpha = alphaOf(sigma);
  const growth = Math.expm1(-h);
  const scale = bh2 ? growth : -h;
  // The positions of earlier levels relative to the step: negative. The end is 1.
  const positions = history.slice(1, order).map((old) => Math.log(newest.sigma / old.sigma) / h);
  const predictor = positions.length === 1 ? [0.5] : solve(positions, h, scale);
  const corrector = order === 1 ? [0.5] : solve([...positions, 1], h, scale);
  return {
    terms(x: FloatTensor, end: FloatTensor | undefined): Term[] {
      const weights = end ? corrector : predictor;
      const terms: Term[] = [[spreadOf(sigma) / spreadOf(newest.sigma), x]];
      let newestFactor = -alpha * growth;
      const add = (weight: number, position: number, denoised: FloatTensor) => {
        const factor = (-alpha * scale * weight) / position;
        terms.push([factor, denoised]);
        newestFactor -= factor;
      };
      for (const [k, position] of positions.entries()) add(weights[k]!, position, history[k + 1]!.denoised);
      if (end) add(weights[positions.length]!, 1, end);
      terms.push([newestFactor, newest.denoised]);
      return terms;
    },
  };
}

/** The weights a of sum_k a_k r_k^(n-1) = n! phi_(n+1)(-h) / B(h) for n = 1, 2, ... (Zhao et al., 2023, theorem 3.1). */
function solve(positions: readonly number[], h: number, scale: number): number[] {
  const right: number[] = [];
  let phi = Math.expm1(-h) / -h - 1;
  let factorial = 1;
  for (let n = 1; n <= positions.length; n++) {
    right.push((phi * factorial) / scale);
    factorial *= n + 1;
    phi = phi / -h - 1 / factorial;
  }
  const rows = right.map((_, n) => positions.map((position) => position ** n));
  return gauss(rows, right);
}

/** Gaussian elimination with partial pivoting, for at most three equations. */
function gauss(rows: number[][], right: number[]): number[] {
  const n = right.length;
  for (let column = 0; column < n; column++) {
    let pivot = column;
    for (let row = column + 1; row < n; row++) {
      if (Math.abs(rows[row]![column]!) > Math.abs(rows[pivot]![column]!)) pivot = row;
    }
    [rows[column], rows[pivot]] = [rows[pivot]!, rows[column]!];
    [right[column], right[pivot]] = [right[pivot]!, right[column]!];
    for (let row = column + 1; row < n; row++) {
      const factor = rows[row]![column]! / rows[column]![column]!;
      for (let k = column; k < n; k++) rows[row]![k]! -= factor * rows[column]![k]!;
      right[row]! -= factor * right[column]!;
    }
  }
  const solution = new Array<number>(n).fill(0);
  for (let row = n - 1; row >= 0; row--) {
    let rest = right[row]!;
    for (let k = row + 1; k < n; k++) rest -= rows[row]![k]! * solution[k]!;
    solution[row] = rest / rows[row]![row]!;
  }
  return solution;
}
