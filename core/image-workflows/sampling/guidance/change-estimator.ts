import type { FloatTensor } from '../../values/tensor.ts';

/** Only every so many-th cell of a row and of a column is looked at. */
const APART = 8;

/**
 * Estimates by how much an answer would differ from the last one that was asked for, without asking: by how far its question
 * has moved, times how strongly answers followed questions before (Zhou et al., "Less is enough: training-free video diffusion
 * acceleration via runtime-adaptive caching", 2025, equations 4 to 8).
 */
export class ChangeEstimator {
  #last: { x: Float32Array; output: Float32Array; size: number } | undefined;
  #rate: number | undefined;
  #sum = 0;

  /** How far a question lies from the last one that was answered. undefined: it is the first. */
  moved(x: FloatTensor): number | undefined {
    return this.#last && meanDifference(sampled(x), this.#last.x);
  }

  /**
   * Whether the last answer still does: while the estimated changes since then, as shares of the answer, stay below
   * `threshold` together. `possible` false: it cannot be had, and counting begins anew.
   */
  stillFits(moved: number | undefined, threshold: number, possible = true): boolean {
    if (moved === undefined || this.#rate === undefined || !this.#last) return false;
    this.#sum += (this.#rate * moved) / this.#last.size;
    if (this.#sum < threshold && possible) return true;
    this.#sum = 0;
    return false;
  }

  /** An answer that was asked for. `size`: the mean of its numbers without their signs. */
  learn(
    x: FloatTensor,
    output: FloatTensor,
    moved: number | undefined,
    size = meanMagnitude([output]),
  ): void {
    const answer = sampled(output);
    if (this.#last && moved !== undefined) this.#rate = meanDifference(answer, this.#last.output) / moved;
    this.#last = { x: sampled(x), output: answer, size };
  }
}

export function meanMagnitude(tensors: readonly FloatTensor[]): number {
  let [sum, count] = [0, 0];
  for (const { data } of tensors) {
    for (const value of data) sum += Math.abs(value);
    count += data.length;
  }
  return sum / count;
}

function meanDifference(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i]! - b[i]!);
  return sum / a.length;
}

function sampled({ shape, data }: FloatTensor): Float32Array {
  const [height = 1, width = 1] = shape.slice(-2);
  const kept: number[] = [];
  for (let plane = 0; plane < data.length; plane += height * width)
    for (let row = 0; row < height; row += APART)
      for (let column = 0; column < width; column += APART) kept.push(data[plane + row * width + column]!);
  return Float32Array.from(kept);
}
