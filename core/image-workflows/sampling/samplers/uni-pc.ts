import type { Sampler } from '../../values/sampler.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { combine, type Term } from '../tensor-math.ts';

/** The solver works on variance-preserving states x / sqrt(1 + sigma^2), for which alpha and this sigma are: */
const alphaOf = (sigma: number): number => 1 / Math.sqrt(1 + sigma ** 2);
const spreadOf = (sigma: number): number => sigma * alphaOf(sigma);

/** Stands for a last level of 0, where lambda is without bound. */
const NEARLY_NOTHING = 0.001;

/** UniPC (Zhao et al., "UniPC: a unified predictor-corrector framework", 2023, algorithms 5 and 6); `bh2` is B(h) = e^h - 1, else h. */
export const uniPc =
  ({ bh2 = false } = {}): Sampler =>
  async (start, run) => {
    const sigmas = run.sigmas.slice();
    const steps = sigmas.length - 1;
    if (sigmas[steps] === 0) sigmas[steps] = Math.fround(NEARLY_NOTHING);
    const maxOrder = Math.min(3, steps - 1);
    let x = combine([alphaOf(sigmas[0]!), start]);
    /** Newest first. */
    const seen: { denoised: FloatTensor; sigma: number }[] = [];
    const evaluate = (state: FloatTensor, sigma: number) =>
      run.denoise(combine([1 / alphaOf(sigma), state]), sigma);
    for (let i = 0; i <= steps; i++) {
      const sigma = sigmas[i]!;
      const order = Math.min(Math.max(maxOrder, 1), i, steps + 1 - i);
      let denoised: FloatTensor | undefined;
      if (i > 0) {
        const update = coefficients(seen, sigma, order, bh2);
        const predicted = combine(...update.terms(x, undefined));
        // At the last level the model has nothing more to say.
        if (i === steps) x = predicted;
        else {
          denoised = await evaluate(predicted, sigma);
          x = combine(...update.terms(x, denoised));
        }
      } else denoised = await evaluate(x, sigma);
      if (!denoised) break;
      await run.step(i, x, denoised);
      seen.unshift({ denoised, sigma });
      seen.length = Math.min(seen.length, 3);
    }
    return combine([1 / alphaOf(sigmas[steps]!), x]);
  };

/** The update to `sigma` as a sum: the predictor's, or the corrector's with the clean latent seen at the end. */
function coefficients(
  seen: readonly { denoised: FloatTensor; sigma: number }[],
  sigma: number,
  order: number,
  bh2: boolean,
) {
  const newest = seen[0]!;
  const h = Math.log(newest.sigma / sigma);
  const alpha = alphaOf(sigma);
  const whole = Math.expm1(-h);
  const scale = bh2 ? whole : -h;
  /** The places of the earlier levels, in steps: negative, and 1 for the end. */
  const places = seen.slice(1, order).map((old) => Math.log(newest.sigma / old.sigma) / h);
  const predictor = places.length === 1 ? [0.5] : solve(places, h, scale);
  const corrector = order === 1 ? [0.5] : solve([...places, 1], h, scale);
  return {
    terms(x: FloatTensor, end: FloatTensor | undefined): Term[] {
      const weights = end ? corrector : predictor;
      const terms: Term[] = [[spreadOf(sigma) / spreadOf(newest.sigma), x]];
      let ofNewest = -alpha * whole;
      const add = (weight: number, place: number, denoised: FloatTensor) => {
        const factor = (-alpha * scale * weight) / place;
        terms.push([factor, denoised]);
        ofNewest -= factor;
      };
      for (const [k, place] of places.entries()) add(weights[k]!, place, seen[k + 1]!.denoised);
      if (end) add(weights[places.length]!, 1, end);
      terms.push([ofNewest, newest.denoised]);
      return terms;
    },
  };
}

/** The weights a of sum_k a_k r_k^(n-1) = n! phi_(n+1)(-h) / B(h) for n = 1, 2, ... (Zhao et al., 2023, theorem 3.1). */
function solve(places: readonly number[], h: number, scale: number): number[] {
  const right: number[] = [];
  let phi = Math.expm1(-h) / -h - 1;
  let factorial = 1;
  for (let n = 1; n <= places.length; n++) {
    right.push((phi * factorial) / scale);
    factorial *= n + 1;
    phi = phi / -h - 1 / factorial;
  }
  const rows = right.map((_, n) => places.map((place) => place ** n));
  return gauss(rows, right);
}

/** Gaussian elimination with pivots, for the at most three equations here. */
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
